"$NNCOST" estimate gpt2 a100 --clip-gradients=maybe
