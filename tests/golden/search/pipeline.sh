"$NNCOST" search gpt2-xl a100 --threads 1 --set vocab_multiple=1024 --devices 64 --global-batch 64 --best 2 --zero 0 --max-memory 20e9
