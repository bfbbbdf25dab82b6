"$NNCOST" estimate gpt2 a100 --dp 1 --data 1 --micro-batch 2 --micro-batch 2
