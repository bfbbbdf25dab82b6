"$NNCOST" validate --help
