"$NNCOST" calibrate tests/golden/calibrate/products.csv --device tests/golden/accuracy/plain.json --format csv
