"$NNCOST" sweep gpt2,sd1-unet a100 --set layers=1,2
