"$NNCOST" sweep --help
