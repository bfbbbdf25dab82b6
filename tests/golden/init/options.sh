"$NNCOST" init llama3-8b h100 --devices 8 --zero 3 --micro-batch 1 --recompute norm,activation --clip-gradients=off --software torch-eager --set layers=16 --set device.mem_bytes_per_s=3e12
