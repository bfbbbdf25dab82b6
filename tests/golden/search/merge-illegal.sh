# As the search says it without shards.
for i in 1 2; do
    "$NNCOST" search gpt2-xl a100 --devices 8 --global-batch 8 --tensor 8 --shard $i/2 --format json --output "$SCRATCH/$i"
done
"$NNCOST" merge "$SCRATCH/all" "$SCRATCH/2" "$SCRATCH/1"
