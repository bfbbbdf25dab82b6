"$NNCOST" estimate gpt2 a100 --prec=fp16
