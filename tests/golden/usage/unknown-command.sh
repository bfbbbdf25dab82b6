"$NNCOST" estimat gpt2 a100
