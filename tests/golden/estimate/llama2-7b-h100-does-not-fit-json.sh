"$NNCOST" estimate llama2-7b h100 --format json
