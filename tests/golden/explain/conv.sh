"$NNCOST" explain block.conv1 sd1-unet a100
