mkdir "$SCRATCH/models" && sed "s/\"gpt2\"/\"mine\"/" models/gpt2.json >"$SCRATCH/models/mine.json" &&
NNCOST_PATH="$SCRATCH" "$NNCOST" estimate mine a100 --format csv | cut -d, -f1-4
