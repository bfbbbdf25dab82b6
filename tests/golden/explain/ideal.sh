"$NNCOST" explain attn.norm gpt2-xl a100 --mode ideal
