"$NNCOST" compare gpt2 a100,,h100
