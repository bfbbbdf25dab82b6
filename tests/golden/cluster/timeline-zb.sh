"$NNCOST" estimate llama3-70b h100 --devices 64 --tensor 8 --pipeline 4 --global-batch 64 --zero 1 --schedule zb-h1 --timeline
