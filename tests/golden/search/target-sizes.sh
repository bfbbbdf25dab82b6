"$NNCOST" search gpt2-xl a100 --threads 1 --devices 8..64 --global-batch 512 --target-step 1s
