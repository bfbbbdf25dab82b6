"$NNCOST" show --help
