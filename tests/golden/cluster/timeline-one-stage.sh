"$NNCOST" estimate gpt2 a100 --micro-batches 4 --data 4 --timeline
