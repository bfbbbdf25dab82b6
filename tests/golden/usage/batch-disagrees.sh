"$NNCOST" estimate gpt2 a100 --micro-batch 2 --micro-batches 3 --global-batch 7
