cd "$SCRATCH" && "$NNCOST" validate none.json
