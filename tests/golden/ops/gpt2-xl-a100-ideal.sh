"$NNCOST" ops gpt2-xl a100 --mode ideal
