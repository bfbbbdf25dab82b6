cp tests/golden/check/plans.json "$SCRATCH/a.json" && cd "$SCRATCH" || exit
sed 's/"recompute": "full"/"recompute": "selective"/; s/"id": "base"/"id": "new"/' a.json >b.json
"$NNCOST" check a.json --update >/dev/null && "$NNCOST" check b.json --update >/dev/null
"$NNCOST" diff /dev/stdin b.json <a.json
