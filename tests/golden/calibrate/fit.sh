"$NNCOST" calibrate tests/golden/calibrate/steps.csv tests/golden/calibrate/products.csv --device tests/golden/accuracy/plain.json --fit calibration,efficiency.pointwise.fixed_s,conv.fixed_s
