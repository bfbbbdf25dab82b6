"$NNCOST" sweep gpt2 a100 --threads 0
