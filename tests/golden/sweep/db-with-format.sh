"$NNCOST" sweep gpt2 a100 --db "$SCRATCH/x" --format csv
