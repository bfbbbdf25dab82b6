"$NNCOST" sweep gpt2 a100 --micro-batch 1..4,2
