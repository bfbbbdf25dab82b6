"$NNCOST" explain attn.qkv gpt2-xl a100 --micro-batches 4
