"$NNCOST" compare gpt2,gpt2-medium,gpt2-large,gpt2-xl a100 --micro-batch 4
