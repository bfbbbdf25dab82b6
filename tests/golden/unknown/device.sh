"$NNCOST" estimate gpt2 a10
