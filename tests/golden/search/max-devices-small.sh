"$NNCOST" search gpt2-xl a100 --threads 1 --max-devices 4 --global-batch 512
