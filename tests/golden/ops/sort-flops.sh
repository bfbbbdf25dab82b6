"$NNCOST" ops gpt2 a100 --sort flops --top 5
