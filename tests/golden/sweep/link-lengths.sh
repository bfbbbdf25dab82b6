"$NNCOST" sweep gpt2 a100 --link 'tensor=1,2;data=2,1,4'
