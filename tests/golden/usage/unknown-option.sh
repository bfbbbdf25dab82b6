"$NNCOST" estimate gpt2 a100 --mico-batch 2
