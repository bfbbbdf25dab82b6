"$NNCOST" search gpt2-xl a100 --max-devices 0 --global-batch 512
