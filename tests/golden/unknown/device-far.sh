"$NNCOST" estimate gpt2 abacus
