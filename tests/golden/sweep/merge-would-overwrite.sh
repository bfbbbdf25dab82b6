echo row >"$SCRATCH/1"
"$NNCOST" merge "$SCRATCH/1" "$SCRATCH/1"
