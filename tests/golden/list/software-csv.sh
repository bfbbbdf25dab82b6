"$NNCOST" list software --format csv
