"$NNCOST" estimate sd1-unet h100 --micro-batch 8 --sensitivity --format markdown | tail -14
