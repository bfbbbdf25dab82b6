cd "$SCRATCH" &&
"$NNCOST" estimate gpt2 "$OLDPWD/hw/a100-sxm4-80gb.json" --output result.csv --format csv &&
ls &&
cut -d, -f1-4 result.csv
