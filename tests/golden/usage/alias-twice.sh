"$NNCOST" estimate gpt2 a100 --micro-batches 2 --grad-accum 4
