"$NNCOST" estimate gpt2 a100 --cluster hw/a100-sxm4-80gb.json
