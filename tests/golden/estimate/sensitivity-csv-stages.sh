"$NNCOST" estimate gpt2-xl a100 --sensitivity --stages --format csv
