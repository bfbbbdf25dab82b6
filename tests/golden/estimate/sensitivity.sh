"$NNCOST" estimate gpt2-xl a100 --devices 16 --global-batch 512 --zero 3 --recompute full --sensitivity
