"$NNCOST" sweep gpt2 a100 --micro-batch 1..4 --where 'micro_batch > 2 && micro_batch < 3' --format csv
