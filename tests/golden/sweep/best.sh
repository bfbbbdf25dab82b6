"$NNCOST" sweep gpt2 h100 --micro-batch 1..64*2 --seq-len 256,512,1024 --top 4 --by samples_per_s --columns micro_batch,seq_len
