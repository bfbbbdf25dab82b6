"$NNCOST" search gpt2-xl a100 --threads 1 --devices 16 --global-batch 512 --best 1 --tensor 1 --pipeline 1 --max-memory 5e9 --target-step 1.2s
