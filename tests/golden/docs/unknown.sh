"$NNCOST" docs manual
