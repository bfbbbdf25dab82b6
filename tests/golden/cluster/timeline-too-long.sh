"$NNCOST" estimate gpt2 a100 --pipeline 2 --micro-batches 300000 --timeline
