"$NNCOST" init gpt2
