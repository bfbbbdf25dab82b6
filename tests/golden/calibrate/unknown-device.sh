"$NNCOST" calibrate tests/golden/calibrate/steps.csv --device plane-100
