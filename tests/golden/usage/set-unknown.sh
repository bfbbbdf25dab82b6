"$NNCOST" estimate gpt2 a100 --set hiden=1024
