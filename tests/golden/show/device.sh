"$NNCOST" show h100
