"$NNCOST" explain mfu gpt2-xl a100 --format json
