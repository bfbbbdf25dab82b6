"$NNCOST" search gpt2-xl a100 --threads 1 --devices 16
