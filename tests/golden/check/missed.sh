sed 's/<= 0.3"/<= 0.01"/; s/>= 0.1"/> 1"/' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json
