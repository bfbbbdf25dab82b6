"$NNCOST" explain communication llama3-8b h100 --data 16 --zero 3 --offload optimizer --set host.mem_bytes_per_s=50e9
