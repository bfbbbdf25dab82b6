"$NNCOST" search --help
