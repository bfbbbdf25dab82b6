"$NNCOST" search gpt2-xl a100 --threads 1 --devices 8..64 --global-batch 512 --tokens 300e9 --deadline 10d --budget 9900
