"$NNCOST" explain hardware_flops gpt2-xl a100
