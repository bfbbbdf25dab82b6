"$NNCOST" ops gpt2 a100 --by phase --format csv
