"$NNCOST" estimate llama3-8b a100 --devices 16 --tensor 4 --micro-batch 1 --micro-batches 8 --global-batch 64
