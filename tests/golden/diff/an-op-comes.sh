cd "$SCRATCH" && "$NNCOST" estimate gpt2 a100 --format json >a.json && "$NNCOST" estimate gpt2 a100 --recompute full --format json >b.json
"$NNCOST" diff a.json b.json --format markdown
