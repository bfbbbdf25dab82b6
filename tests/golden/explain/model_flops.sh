"$NNCOST" explain model_flops gpt2-xl a100
