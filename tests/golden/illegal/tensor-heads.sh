"$NNCOST" estimate gpt2 a100 --tp 8
