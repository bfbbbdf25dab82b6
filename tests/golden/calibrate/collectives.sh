"$NNCOST" calibrate tests/golden/calibrate/collectives.csv --device tests/golden/accuracy/plain.json --fold not:1/3
