cd "$SCRATCH" && "$NNCOST" estimate gpt2 a100 --format json >a.json && "$NNCOST" estimate gpt2 a100 --price 2 --format json >b.json
"$NNCOST" diff a.json b.json --format json && "$NNCOST" diff a.json b.json --format csv
