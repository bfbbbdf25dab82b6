"$NNCOST" ops llama3-8b b200 --attention unfused --software torch-eager --recompute selective
