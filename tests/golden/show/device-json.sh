"$NNCOST" show h100 --format json
