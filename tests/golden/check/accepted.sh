cp tests/golden/check/plans.json "$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update >/dev/null
sed -i '1,9s/"micro_batch": 4/"micro_batch": 2/' p.json && cp p.json before.json
"$NNCOST" check p.json --update && "$NNCOST" check p.json
diff before.json p.json | grep '^[<>]' | cut -c 1-60
