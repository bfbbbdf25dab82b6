"$NNCOST" search gpt2-xl a100 --threads 1 --devices 16 --global-batch 512 --best 2 --tensor 1 --pipeline 1 --tokens 300e9 --deadline 10d --budget 11000
