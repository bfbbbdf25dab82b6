"$NNCOST" explain params gpt2-xl a100
