"$NNCOST" compare llama2-7b h100,b200
