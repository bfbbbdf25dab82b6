"$NNCOST" search gpt2-xl a100 --threads 1 --devices 8,12,16 --global-batch 8 --data 8
