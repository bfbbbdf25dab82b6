"$NNCOST" estimate gpt2 a100 --pipeline 2 --micro-batches 2 --stages --timeline --format json
