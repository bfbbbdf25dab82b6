"$NNCOST" ops sd1-unet h100 --by op --sort time --top 12
