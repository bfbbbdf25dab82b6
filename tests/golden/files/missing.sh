cd "$SCRATCH" && "$NNCOST" estimate ./none.json a100
