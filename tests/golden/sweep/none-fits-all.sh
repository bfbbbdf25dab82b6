"$NNCOST" sweep llama3-8b h100 --devices 2 --tensor 1..3 --all --columns tensor,verdict
