sed 's/"recompute": "full"/"seq_len": 4096/' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json
