"$NNCOST" compare gpt2,sd1-unet a100
