"$NNCOST" estimate gpt2 a100 --software torch-compiled
