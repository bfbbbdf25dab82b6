"$NNCOST" compare gpt2-xl a100,h100 --micro-batch 1,4 --recompute none,norm+activation,full
