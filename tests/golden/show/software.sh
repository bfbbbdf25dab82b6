"$NNCOST" show torch-eager
