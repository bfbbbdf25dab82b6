"$NNCOST" list devices --format csv
