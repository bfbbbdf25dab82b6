"$NNCOST" --version please
