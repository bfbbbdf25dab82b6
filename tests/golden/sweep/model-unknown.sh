"$NNCOST" sweep gpt2,gpt3-xxl a100
