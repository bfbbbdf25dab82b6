"$NNCOST" estimate gpt2 a100 --scenario base
