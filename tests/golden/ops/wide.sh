COLUMNS=140 "$NNCOST" ops sd1-unet h100 --top 20
