"$NNCOST" list software --format markdown
