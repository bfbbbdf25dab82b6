"$NNCOST" accuracy tests/golden/accuracy/steps.csv tests/golden/accuracy/parts.csv --rows
