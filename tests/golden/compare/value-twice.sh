"$NNCOST" compare gpt2 a100,a100
