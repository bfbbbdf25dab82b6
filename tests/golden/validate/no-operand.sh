"$NNCOST" validate
