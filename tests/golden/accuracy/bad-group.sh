"$NNCOST" accuracy tests/golden/accuracy/steps.csv --fold 1/2 --group colour
