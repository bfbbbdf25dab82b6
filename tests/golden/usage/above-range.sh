"$NNCOST" estimate gpt2 a100 --micro-batch 1e18
