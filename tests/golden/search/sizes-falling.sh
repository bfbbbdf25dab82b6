"$NNCOST" search gpt2-xl a100 --threads 1 --devices 64..8 --global-batch 512
