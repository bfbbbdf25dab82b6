"$NNCOST" estimate llama3-8b a100 --tensor 6
