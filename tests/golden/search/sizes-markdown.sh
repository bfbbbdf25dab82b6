"$NNCOST" search gpt2-xl a100 --threads 1 --devices 8,24,32 --global-batch 96 --format markdown
