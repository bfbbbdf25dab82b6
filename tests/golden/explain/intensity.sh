"$NNCOST" explain intensity gpt2-xl a100
