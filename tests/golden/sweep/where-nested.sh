"$NNCOST" sweep gpt2 a100 --where '(micro_batch > 1'
