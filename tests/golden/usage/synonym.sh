# The word that other programs use.
"$NNCOST" estimate gpt2 a100 --batch 8
