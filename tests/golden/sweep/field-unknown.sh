"$NNCOST" sweep gpt2 a100 --set hiden=1,2
