"$NNCOST" estimate gpt2 a100 --xyzzy 2
