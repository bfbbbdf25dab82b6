"$NNCOST" sweep gpt2 h100 --devices 8 --micro-batch 1..4 --micro-batches 1..16*4 --overlap 0..1+0.5 --columns micro_batch,micro_batches,overlap,global_batch --format csv
