"$NNCOST" sweep gpt2,gpt2-xl a100,h100 --software torch-compile,torch-eager --micro-batch 1,2 --set seq_len=512,1024 --columns row,model,device,software,micro_batch,seq_len --format csv
