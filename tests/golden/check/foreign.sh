"$NNCOST" check hw/l40s.json --update
