"$NNCOST" sweep gpt2 a100 --micro-batch 1..10000 --micro-batches 1..10000 --seq-len 1..10000 --global-batch 1..10000
