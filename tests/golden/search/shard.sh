"$NNCOST" search gpt2 a100 --threads 1 --devices 4 --global-batch 8 --best 1 --context 1 --shard 1/2
