printf 'id,hardware,n_devices,mesured_step_s\na,plain,1,1\n' > "$SCRATCH/rows.csv"
"$NNCOST" accuracy "$SCRATCH/rows.csv"
