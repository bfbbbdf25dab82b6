"$NNCOST" sweep gpt2 a100 --output /dev/full
