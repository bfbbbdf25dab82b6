"$NNCOST" compare gpt2 a100,v100 --precision bf16
