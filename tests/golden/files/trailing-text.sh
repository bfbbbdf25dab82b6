cp models/gpt2.json "$SCRATCH/gpt2.json" && cd "$SCRATCH" && echo "more" >>gpt2.json &&
"$NNCOST" estimate gpt2.json a100
