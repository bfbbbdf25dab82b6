"$NNCOST" list software
