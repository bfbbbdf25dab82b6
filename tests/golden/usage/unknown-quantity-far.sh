"$NNCOST" explain xyzzy gpt2 a100
