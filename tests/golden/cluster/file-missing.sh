"$NNCOST" estimate gpt2 a100 --cluster "$SCRATCH/none.json"
