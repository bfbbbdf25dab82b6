"$NNCOST" estimate sd1-unet a100 --tokens 1e9
