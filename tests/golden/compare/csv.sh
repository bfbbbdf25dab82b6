"$NNCOST" compare gpt2 a100,v100 --format csv
