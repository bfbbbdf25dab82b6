mkdir "$SCRATCH/sub" && cp hw/a100-sxm4-80gb.json "$SCRATCH/sub/mine.json" && cd "$SCRATCH" || exit
sed -i 's/"id": "a100-sxm4-80gb"/"id": "mine"/' sub/mine.json
echo '{ "schema": "nncost.plans/1", "scenarios": [ { "id": "a", "model": "gpt2", "device": "mine.json" } ] }' >sub/p.json
"$NNCOST" estimate sub/p.json --format json | grep '"device":'
