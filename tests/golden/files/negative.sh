sed "s/\"layers\": *12/\"layers\": -12/" models/gpt2.json >"$SCRATCH/gpt2.json" && cd "$SCRATCH" &&
"$NNCOST" estimate gpt2.json a100
