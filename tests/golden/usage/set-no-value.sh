"$NNCOST" estimate gpt2 a100 --set hidden
