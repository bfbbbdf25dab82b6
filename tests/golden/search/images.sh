"$NNCOST" search sd1-unet h100 --threads 1 --devices 8..32 --global-batch 256 --samples 1e8 --deadline 30d
