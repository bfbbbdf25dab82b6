"$NNCOST" ops llama2-7b h100 --by group
