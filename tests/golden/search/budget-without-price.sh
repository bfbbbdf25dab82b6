"$NNCOST" search gpt2-xl mi300x --threads 1 --devices 16 --global-batch 512 --tokens 1e9 --budget 5
