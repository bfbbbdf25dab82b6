"$NNCOST" estimate gpt2-xl a100 --set hidden=2048 --set heads=32 --set kv_heads=32 --set head_dim=64 --set ffn_hidden=8192 --set mem_bytes_per_s=2e12
