"$NNCOST" estimate llama3-70b h100 --devices 16 --tensor 4 --global-batch 16
