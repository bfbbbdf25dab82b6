"$NNCOST" estimate gpt2 a100 --micro-batch two
