"$NNCOST" sweep sd1-unet a100,h100 --image 256..512+128 --columns device,image,samples_per_s,tokens_per_s --format csv
