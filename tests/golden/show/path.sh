"$NNCOST" show models/gpt2.json
