"$NNCOST" estimate gpt2 v100 --precision bf16
