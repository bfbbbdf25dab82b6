"$NNCOST" sweep gpt2 a100 --set model.layers=12,24 --set device.mem_bytes=40e9,80e9 --columns layers,device.mem_bytes,params,memory.capacity_bytes
