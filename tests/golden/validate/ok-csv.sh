"$NNCOST" validate hw/a100-sxm4-80gb.json --format csv
