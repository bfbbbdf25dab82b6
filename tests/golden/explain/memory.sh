"$NNCOST" explain memory gpt2-xl a100
