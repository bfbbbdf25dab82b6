"$NNCOST" explain flops gpt2-xl a100
