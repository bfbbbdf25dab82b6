sed '6i <<<<<<< HEAD' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json
