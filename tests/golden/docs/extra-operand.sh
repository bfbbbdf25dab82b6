"$NNCOST" docs man estimate
