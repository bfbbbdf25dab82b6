"$NNCOST" explain attn.core llama2-7b h100
