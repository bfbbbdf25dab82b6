sed 's/"mfu": ">= 0.1"/"mfuu": ">= 0.1"/' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json
