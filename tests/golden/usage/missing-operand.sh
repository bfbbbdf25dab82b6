"$NNCOST" estimate gpt2
