cp tests/golden/check/plans.json hw/a100-sxm4-80gb.json "$SCRATCH" && cd "$SCRATCH" || exit
sed -i 's/"a100"/".\/a100-sxm4-80gb.json"/' plans.json
"$NNCOST" check plans.json --update >/dev/null
sed -i '0,/"note": "/s//"note": "Another word. /' a100-sxm4-80gb.json && "$NNCOST" check plans.json || exit
sed -i '0,/"mem_bytes_per_s": [0-9.e]*/s//"mem_bytes_per_s": 1e12/' a100-sxm4-80gb.json
"$NNCOST" check plans.json
