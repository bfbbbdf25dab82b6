"$NNCOST" search gpt2-xl a100 --threads 1 --devices 64 --max-devices 20 --global-batch 512
