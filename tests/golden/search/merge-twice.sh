for i in 1 2 3; do
    "$NNCOST" search gpt2 a100 --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --shard $i/3 --format json --output "$SCRATCH/$i"
done
cp "$SCRATCH/1" "$SCRATCH/again"
"$NNCOST" merge "$SCRATCH/all" "$SCRATCH/1" "$SCRATCH/2" "$SCRATCH/again"
