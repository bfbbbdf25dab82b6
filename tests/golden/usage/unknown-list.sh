"$NNCOST" list chips
