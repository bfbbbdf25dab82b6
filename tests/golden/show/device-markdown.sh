"$NNCOST" show v100 --format markdown
