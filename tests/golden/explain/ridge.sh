"$NNCOST" explain ridge gpt2-xl a100
