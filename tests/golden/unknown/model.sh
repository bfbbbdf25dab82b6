"$NNCOST" estimate gpt2-xll a100
