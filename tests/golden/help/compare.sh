"$NNCOST" compare --help
