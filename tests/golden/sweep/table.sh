"$NNCOST" sweep llama3-8b h100 --devices 8,16 --tensor 2..8*2 --zero 0,3 --micro-batch 1
