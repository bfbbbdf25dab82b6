"$NNCOST" search gpt2-xl a100 --threads 1 --devices 16 --global-batch 512 --tensor 1,x
