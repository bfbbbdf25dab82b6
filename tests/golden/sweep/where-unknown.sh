"$NNCOST" sweep gpt2 a100 --where 'micro_bach > 1'
