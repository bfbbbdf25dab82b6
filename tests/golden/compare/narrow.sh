COLUMNS=60 "$NNCOST" compare gpt2 a100,v100 --micro-batch 1,2
