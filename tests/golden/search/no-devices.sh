"$NNCOST" search gpt2-xl a100 --threads 1 --global-batch 512
