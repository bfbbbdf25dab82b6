"$NNCOST" compare llama2-13b h100,a100
