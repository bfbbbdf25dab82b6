"$NNCOST" search gpt2-xl a100 --threads 1 --devices 7,8,11 --global-batch 8
