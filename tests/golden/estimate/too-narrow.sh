COLUMNS=10 "$NNCOST" estimate gpt2 a100
