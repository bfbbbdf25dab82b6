"$NNCOST" list devices
