"$NNCOST" explain optimizer gpt2-xl a100
