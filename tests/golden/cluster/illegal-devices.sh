"$NNCOST" estimate llama3-8b a100 --devices 12 --tensor 8
