"$NNCOST" explain mfu gpt2-xl a100
