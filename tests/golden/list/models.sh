"$NNCOST" list models
