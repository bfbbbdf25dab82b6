"$NNCOST" estimate gpt2 a100 --pipeline 2 --micro-batches 2 --trace "$SCRATCH/t.json" >"$SCRATCH/out" && cat "$SCRATCH/t.json"
