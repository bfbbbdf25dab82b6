"$NNCOST" estimate llama3-8b h100 --data 16 --zero 3 --shard 8 --reshard=off --offload optimizer --set host.mem_bytes_per_s=50e9 --overlap 0.5
