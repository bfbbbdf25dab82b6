"$NNCOST" sweep gpt2 a100 --by mfu
