"$NNCOST" explain cost gpt2-xl a100
