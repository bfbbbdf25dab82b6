"$NNCOST" explain step_s gpt2-xl a100
