printf 'id,hardware,n_devices,measured_step_s\n' > "$SCRATCH/rows.csv"
"$NNCOST" accuracy "$SCRATCH/rows.csv"
