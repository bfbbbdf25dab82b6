cp tests/golden/check/plans.json "$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update >/dev/null
sed -i '1,9s/"recompute": "full"/"recompute": "selective"/; 1,9s/<= 0.3"/<= 0.03"/' p.json
"$NNCOST" check p.json --format csv
