"$NNCOST" estimate gpt2 a100 --optimizer adm
