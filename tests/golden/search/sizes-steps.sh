"$NNCOST" search gpt2-xl a100 --threads 1 --devices 8..24+8 --global-batch 512
