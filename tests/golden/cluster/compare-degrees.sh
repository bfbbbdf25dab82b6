"$NNCOST" compare llama3-70b a100,h100 --devices 64 --tensor 4,8 --pipeline 1,4 --global-batch 64 --zero 1
