"$NNCOST" compare gpt2-xl a100,h100,h200,mi300x
