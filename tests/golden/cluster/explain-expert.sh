"$NNCOST" explain moe.dispatch mixtral-8x7b h100 --devices 64 --expert 8 --tensor 2 --zero 1 --global-batch 64
