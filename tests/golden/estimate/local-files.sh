cp models/gpt2.json "$SCRATCH/my.json" &&
cp hw/a100-sxm4-80gb.json "$SCRATCH/board.json" &&
cd "$SCRATCH" &&
sed -i "s/\"gpt2\"/\"my\"/" my.json &&
sed -i "s/\"a100-sxm4-80gb\"/\"board\"/" board.json &&
"$NNCOST" estimate my.json ./board.json --format csv | cut -d, -f1-4
