"$NNCOST" search gpt2-xl a100 --threads 1 --devices 12,20 --global-batch 8 --data 8
