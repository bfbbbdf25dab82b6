"$NNCOST" calibrate tests/golden/calibrate/products.csv --device h100
