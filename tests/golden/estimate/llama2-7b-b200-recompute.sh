"$NNCOST" estimate llama2-7b b200 --recompute norm,activation --flops-convention causal
