# The written device predicts what the report says: the errors of 'accuracy' are those after the fit.
"$NNCOST" calibrate tests/golden/calibrate/products.csv tests/golden/calibrate/steps.csv --device tests/golden/accuracy/plain.json --output "$SCRATCH/mine.json" | grep 'fitted on  '
grep -v -e open -e nowhere tests/golden/calibrate/steps.csv | sed "s|tests/golden/accuracy/plain.json|$SCRATCH/mine.json|" > "$SCRATCH/steps.csv"
sed "s|tests/golden/accuracy/plain.json|$SCRATCH/mine.json|" tests/golden/calibrate/products.csv > "$SCRATCH/products.csv"
"$NNCOST" accuracy "$SCRATCH/products.csv" "$SCRATCH/steps.csv" | grep -e by -e total
