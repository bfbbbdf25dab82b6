cp tests/golden/check/plans.json "$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update >/dev/null
sed -i 's/"tool": "[0-9.]*"/"tool": "99.0.0"/' p.json && cp p.json before.json
"$NNCOST" check p.json --update
echo $? && cmp p.json before.json
