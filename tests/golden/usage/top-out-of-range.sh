"$NNCOST" ops gpt2 a100 --top 0
