"$NNCOST" explain plan llama3-70b h100 --devices 64 --tensor 8 --pipeline 4 --global-batch 64 --zero 1
