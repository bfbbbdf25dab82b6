sed 's/plans\/1/plans\/2/' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update
