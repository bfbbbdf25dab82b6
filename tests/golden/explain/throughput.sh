"$NNCOST" explain throughput gpt2-xl a100
