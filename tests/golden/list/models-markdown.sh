"$NNCOST" list models --format markdown
