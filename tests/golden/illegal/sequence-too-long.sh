"$NNCOST" estimate gpt2 a100 --seq-len 2048
