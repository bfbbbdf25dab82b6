"$NNCOST" sweep llama3-8b h100 --micro-batch 1,2 --shard 1/2 --format csv --columns mfu
