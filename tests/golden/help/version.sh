"$NNCOST" --version
