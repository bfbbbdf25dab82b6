cd "$SCRATCH" && : >empty.json && "$NNCOST" estimate empty.json a100
