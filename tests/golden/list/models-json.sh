"$NNCOST" list models --format json
