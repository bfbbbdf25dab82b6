"$NNCOST" sweep gpt2 a100 --top 1 --by mfu:down
