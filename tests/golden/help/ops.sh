"$NNCOST" ops --help
