"$NNCOST" list devices --format json
