"$NNCOST" estimate llama2-7b b200 --grad-accum 8 --tokens 2e12 --price 4
