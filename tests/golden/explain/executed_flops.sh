"$NNCOST" explain executed_flops gpt2-xl a100
