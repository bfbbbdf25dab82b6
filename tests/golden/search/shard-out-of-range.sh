"$NNCOST" search gpt2 a100 --devices 4 --global-batch 8 --shard 0/3
