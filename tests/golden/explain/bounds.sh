"$NNCOST" explain bounds gpt2-xl a100
