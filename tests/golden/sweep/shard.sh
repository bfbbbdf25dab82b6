"$NNCOST" sweep gpt2 a100 --micro-batch 1..10 --shard 2/3 --columns micro_batch --format csv
