cd "$SCRATCH" && "$NNCOST" init sd1-unet a100 --micro-batch 8 --output p.json && "$NNCOST" validate p.json && "$NNCOST" check p.json
