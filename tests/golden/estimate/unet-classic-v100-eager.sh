"$NNCOST" estimate unet-classic v100 --software torch-eager --policy amp
