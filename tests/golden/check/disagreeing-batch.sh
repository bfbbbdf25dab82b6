sed 's/"recompute": "full"/"micro_batches": 2, "global_batch": 7/' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json
