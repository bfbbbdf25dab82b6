"$NNCOST" explain activation_bytes gpt2-xl a100 --activations korthikanti
