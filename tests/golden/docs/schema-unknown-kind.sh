"$NNCOST" docs schema devices
