cp tests/golden/check/plans.json "$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update >/dev/null
sed -i '1,12s/"id": "recompute"/"id": "renamed"/' p.json
"$NNCOST" check p.json
