for i in 1 2 3; do
    "$NNCOST" sweep gpt2 a100 --micro-batch 1..10 --shard $i/3 --columns micro_batch --format csv --output "$SCRATCH/$i"
done
"$NNCOST" merge "$SCRATCH/all" "$SCRATCH/2" "$SCRATCH/3" "$SCRATCH/1" && cat "$SCRATCH/all"
