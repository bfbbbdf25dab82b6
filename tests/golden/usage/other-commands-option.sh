"$NNCOST" estimate gpt2 a100 --sort time
