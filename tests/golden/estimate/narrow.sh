COLUMNS=60 "$NNCOST" estimate llama2-7b h100
