"$NNCOST" accuracy tests/golden/accuracy/steps.csv --set layers=x
