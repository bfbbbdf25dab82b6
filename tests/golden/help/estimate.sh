"$NNCOST" estimate --help
