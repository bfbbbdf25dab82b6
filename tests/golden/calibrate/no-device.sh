"$NNCOST" calibrate tests/golden/calibrate/steps.csv
