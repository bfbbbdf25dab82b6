"$NNCOST" sweep gpt2 a100 --shard 4/3
