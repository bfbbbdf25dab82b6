"$NNCOST" docs --help
