"$NNCOST" show gpt2-xl
