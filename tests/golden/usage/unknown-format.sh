"$NNCOST" estimate gpt2 a100 --format xml
