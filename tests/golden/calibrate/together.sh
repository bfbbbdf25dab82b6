# Kernels first, then steps on top; the file that comes of it is a device like any other.
"$NNCOST" calibrate tests/golden/calibrate/products.csv tests/golden/calibrate/collectives.csv tests/golden/calibrate/steps.csv --device tests/golden/accuracy/plain.json --output "$SCRATCH/mine.json"
cat "$SCRATCH/mine.json"
"$NNCOST" validate "$SCRATCH/mine.json"
"$NNCOST" calibrate tests/golden/calibrate/steps.csv --device tests/golden/accuracy/plain.json --fit pointwise.memory_fraction --output "$SCRATCH/mine.json" | tail -1
grep -A3 pointwise "$SCRATCH/mine.json"
