"$NNCOST" estimate gpt2 a100 --stages --timeline --format csv
