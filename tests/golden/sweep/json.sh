"$NNCOST" sweep llama3-8b h100 --devices 8 --tensor 4,8 --format json
