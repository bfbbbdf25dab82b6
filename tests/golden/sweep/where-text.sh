"$NNCOST" sweep gpt2 a100 --recompute none,selective,full --where 'recompute != "none" && layers == 12' --columns recompute,layers
