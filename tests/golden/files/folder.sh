cd "$SCRATCH" && mkdir folder.json && "$NNCOST" estimate folder.json a100
