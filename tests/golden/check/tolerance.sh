cp tests/golden/check/plans.json "$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json --update >/dev/null
sed -i 's/"micro_batch": 4 }/"micro_batch": 4, "set": { "device.mem_bytes_per_s": 2.03e12 },\n    "tolerance": { "": { "relative": 0.01 } } }/' p.json
"$NNCOST" check p.json && "$NNCOST" check p.json --format csv
