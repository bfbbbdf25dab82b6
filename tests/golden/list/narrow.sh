COLUMNS=60 "$NNCOST" list devices
