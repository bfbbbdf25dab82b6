"$NNCOST" explain attn.tensor_in llama3-8b tpu-v5p --data 16 --tensor 4 --zero 1 --format json
