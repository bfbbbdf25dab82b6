"$NNCOST" sweep gpt2 a100 --columns step_ss
