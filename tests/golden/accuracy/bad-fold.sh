"$NNCOST" accuracy tests/golden/accuracy/steps.csv --fold 3/2
