"$NNCOST" list software --format json
