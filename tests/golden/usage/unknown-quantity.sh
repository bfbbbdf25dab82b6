"$NNCOST" explain mfuu gpt2 a100
