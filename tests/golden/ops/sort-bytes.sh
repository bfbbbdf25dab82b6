"$NNCOST" ops gpt2 a100 --sort bytes --top 5
