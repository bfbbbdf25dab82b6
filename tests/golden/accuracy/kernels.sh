"$NNCOST" accuracy tests/golden/accuracy/parts.csv
