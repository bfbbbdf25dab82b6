# Fitting what is fitted already moves next to nothing, and the figures that stay keep their origin.
sed "s|tests/golden/accuracy/plain.json|$SCRATCH/mine.json|" tests/golden/calibrate/one.csv > "$SCRATCH/one.csv"
"$NNCOST" calibrate tests/golden/calibrate/products.csv --device tests/golden/accuracy/plain.json --output "$SCRATCH/mine.json" > "$SCRATCH/first"
"$NNCOST" calibrate "$SCRATCH/one.csv" --device "$SCRATCH/mine.json" --output "$SCRATCH/mine.json" | head -6
grep -e fitted_on -e basis "$SCRATCH/mine.json"
