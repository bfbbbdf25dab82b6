"$NNCOST" --help
