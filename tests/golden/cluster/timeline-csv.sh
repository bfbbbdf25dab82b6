"$NNCOST" estimate gpt2 a100 --pipeline 2 --micro-batches 2 --timeline --format csv
