"$NNCOST" explain --help
