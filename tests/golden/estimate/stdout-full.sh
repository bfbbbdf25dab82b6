"$NNCOST" estimate gpt2 a100 >/dev/full
