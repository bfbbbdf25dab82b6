"$NNCOST" estimate gpt2 a100 --help=yes
