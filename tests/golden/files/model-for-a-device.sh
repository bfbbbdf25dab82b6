"$NNCOST" estimate gpt2 models/gpt2.json
