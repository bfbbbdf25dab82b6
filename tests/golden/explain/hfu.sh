"$NNCOST" explain hfu gpt2-xl a100
