cp tests/golden/check/plans.json "$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update && "$NNCOST" check p.json && cat p.json
