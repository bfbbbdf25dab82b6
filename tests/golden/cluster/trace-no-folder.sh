"$NNCOST" estimate gpt2 a100 --trace "$SCRATCH/none/t.json"
