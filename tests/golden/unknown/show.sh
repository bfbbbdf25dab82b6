"$NNCOST" show gpt2-xll
