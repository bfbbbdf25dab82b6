"$NNCOST" list models --format csv
