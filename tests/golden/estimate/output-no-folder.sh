cd "$SCRATCH" && "$NNCOST" estimate gpt2 a100 --output missing/result.txt
