"$NNCOST" explain six_nd_flops gpt2-xl a100
