cd "$SCRATCH" && "$NNCOST" estimate gpt2 a100 --format json >a.json && "$NNCOST" diff a.json a.json
