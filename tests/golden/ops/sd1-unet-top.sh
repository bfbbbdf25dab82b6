"$NNCOST" ops sd1-unet h100 --sort time --top 10
