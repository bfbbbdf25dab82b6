"$NNCOST" explain memory gpt2-xl a100 --format csv
