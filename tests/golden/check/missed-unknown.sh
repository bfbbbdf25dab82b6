sed 's/"mfu": ">= 0.1"/"cost.run": "<= 20000"/' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json
