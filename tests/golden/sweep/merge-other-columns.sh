"$NNCOST" sweep gpt2 a100 --shard 1/2 --format csv --output "$SCRATCH/1"
"$NNCOST" sweep gpt2 a100 --shard 2/2 --columns mfu --format csv --output "$SCRATCH/2"
"$NNCOST" merge "$SCRATCH/all" "$SCRATCH/1" "$SCRATCH/2"
