"$NNCOST" sweep llama3-8b h100 --link 'tensor=2,4,8;data=4,2,1' --zero 3 --micro-batch 1,2 --columns tensor,data,micro_batch,devices
