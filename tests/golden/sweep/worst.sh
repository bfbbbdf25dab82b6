"$NNCOST" sweep gpt2 h100 --micro-batch 1..64*2 --top 2 --by memory.total_bytes:desc --columns micro_batch --format csv
