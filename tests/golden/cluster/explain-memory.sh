"$NNCOST" explain memory llama3-8b h100 --data 16 --zero 3
