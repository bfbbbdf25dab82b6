"$NNCOST" diff hw/l40s.json hw/l40s.json
