"$NNCOST" compare llama3-70b h100 --devices 64 --tensor 3,8 --global-batch 64
