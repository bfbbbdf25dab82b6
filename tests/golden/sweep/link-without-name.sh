"$NNCOST" sweep gpt2 a100 --link '1,2'
