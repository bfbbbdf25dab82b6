"$NNCOST" sweep gpt2 a100 --where 'id == 1'
