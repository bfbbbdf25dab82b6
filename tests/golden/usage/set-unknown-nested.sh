"$NNCOST" estimate gpt2 a100 --set scale_up.bytes=1e9
