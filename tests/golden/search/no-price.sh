"$NNCOST" search gpt2-xl mi300x --threads 1 --devices 8,16 --global-batch 512 --tensor 1
"$NNCOST" search gpt2-xl mi300x --threads 1 --devices 8,16 --global-batch 512 --tensor 1 --tokens 1e9
