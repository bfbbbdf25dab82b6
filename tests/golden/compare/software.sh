"$NNCOST" compare gpt2-xl a100 --software torch-compile,torch-eager
