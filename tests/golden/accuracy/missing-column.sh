printf 'id,hardware,measured_step_s\na,plain,1\n' > "$SCRATCH/rows.csv"
"$NNCOST" accuracy "$SCRATCH/rows.csv"
