"$NNCOST" ops sd1-unet h100 --by group --format json
