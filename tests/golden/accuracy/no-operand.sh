"$NNCOST" accuracy
