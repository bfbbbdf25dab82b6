"$NNCOST" validate clusters/*.json
