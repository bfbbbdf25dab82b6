"$NNCOST" estimate gpt2 a100 --set kv_heads=7
