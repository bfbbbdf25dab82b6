"$NNCOST" show sd1-unet
