cp tests/golden/check/plans.json "$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update >/dev/null
sed -i 's/"step": {"step_s": 0/"step": {"step_s": 1/' p.json && cp p.json before.json
"$NNCOST" check p.json --update
echo $? && cmp p.json before.json
