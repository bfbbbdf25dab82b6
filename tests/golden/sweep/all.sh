"$NNCOST" sweep llama3-8b h100 --devices 8 --tensor 2,3,4 --micro-batch 1,64 --all --columns tensor,micro_batch,verdict,reason --format csv
