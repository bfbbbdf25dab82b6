"$NNCOST" estimate --micro-batch 2 -- gpt2 a100
