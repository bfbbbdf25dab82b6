"$NNCOST" explain cost gpt2-xl a100 --tokens 1e9
