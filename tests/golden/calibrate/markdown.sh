"$NNCOST" calibrate tests/golden/calibrate/one.csv --device tests/golden/accuracy/plain.json --format markdown
