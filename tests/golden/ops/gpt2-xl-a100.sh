"$NNCOST" ops gpt2-xl a100
