"$NNCOST" accuracy tests/golden/accuracy/steps.csv --format json
