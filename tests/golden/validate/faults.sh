sed "s/\"layers\"/\"layer\"/; s/\"hidden\": *768/\"hidden\": -1/" models/gpt2.json >"$SCRATCH/gpt2.json" &&
cp models/gpt2-xl.json "$SCRATCH" && cd "$SCRATCH" && "$NNCOST" validate gpt2-xl.json gpt2.json
