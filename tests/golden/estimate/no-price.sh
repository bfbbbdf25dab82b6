"$NNCOST" estimate gpt2 mi300x
