"$NNCOST" sweep gpt2 a100 --output "$SCRATCH/no/such"
