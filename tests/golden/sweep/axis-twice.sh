"$NNCOST" sweep gpt2 a100 --micro-batch 1,2 --set plan.micro_batch=3,4
