"$NNCOST" merge --help
