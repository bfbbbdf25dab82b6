"$NNCOST" calibrate tests/golden/calibrate/steps.csv --device tests/golden/accuracy/plain.json --fit calibratoin
