# Another shard may hold a legal plan, so that this one has none is no failure.
"$NNCOST" search gpt2-xl a100 --threads 1 --devices 8 --global-batch 8 --tensor 8 --shard 2/3
