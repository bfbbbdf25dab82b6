sed 's/"gpt2-xl"/"gpt2-xxl"/' tests/golden/check/plans.json >"$SCRATCH/p.json" && cd "$SCRATCH" || exit
"$NNCOST" check p.json
