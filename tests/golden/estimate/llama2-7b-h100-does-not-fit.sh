"$NNCOST" estimate llama2-7b h100
