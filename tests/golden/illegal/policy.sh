"$NNCOST" estimate gpt2 a100 --precision fp32 --policy mixed
