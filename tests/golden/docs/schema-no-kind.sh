"$NNCOST" docs schema
