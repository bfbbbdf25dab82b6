"$NNCOST" estimate llama3-405b v100 --devices 2 --global-batch 2
