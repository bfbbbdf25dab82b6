"$NNCOST" accuracy tests/golden/accuracy/no-such-file.csv
