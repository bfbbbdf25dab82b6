"$NNCOST" list --help
