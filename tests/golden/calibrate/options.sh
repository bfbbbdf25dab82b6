"$NNCOST" calibrate tests/golden/calibrate/steps.csv --device tests/golden/accuracy/plain.json --only step --fold 1/2 --set mem_bytes_per_s=2e12 --software torch-eager
# All rows of a file stay together: nothing is left to cross-validate with.
"$NNCOST" calibrate tests/golden/calibrate/steps.csv --device tests/golden/accuracy/plain.json --group file
