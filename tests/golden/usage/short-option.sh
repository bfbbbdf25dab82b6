"$NNCOST" estimate gpt2 a100 -m 2
