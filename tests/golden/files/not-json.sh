cd "$SCRATCH" && echo "layers: 12" >model.json && "$NNCOST" estimate model.json a100
