printf 'id,hardware,n_devices,measured_step_s\na,plain,1,1\nb,plain,1,fast\n' > "$SCRATCH/rows.csv"
"$NNCOST" accuracy "$SCRATCH/rows.csv"
