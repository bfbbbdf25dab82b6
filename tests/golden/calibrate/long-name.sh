"$NNCOST" calibrate tests/golden/calibrate/one.csv --device tests/golden/accuracy/plain.json --output "$SCRATCH/a-name-that-is-longer-than-any-id-of-a-device-may-be.json"
