"$NNCOST" search gpt2 a100 --devices 4 --global-batch 8 --shard 1/3 --target-step 1s
