"$NNCOST" search gpt2-xl a100 --threads 1 --devices 8..x --global-batch 512
