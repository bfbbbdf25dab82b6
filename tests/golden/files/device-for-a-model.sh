"$NNCOST" estimate hw/a100-sxm4-80gb.json a100
