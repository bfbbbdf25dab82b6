"$NNCOST" estimate gpt2 a100 --micro-batch 2 --micro-batch 4
