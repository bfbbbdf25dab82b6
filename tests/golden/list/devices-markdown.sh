"$NNCOST" list devices --format markdown
