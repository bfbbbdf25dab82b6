"$NNCOST" check "$SCRATCH/p.json"
