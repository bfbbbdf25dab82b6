"$NNCOST" estimate llama3-8b h100 --data 16 --zero 3 --shard 8 --format csv
