cp tests/golden/check/plans.json models/gpt2-xl.json "$SCRATCH" && cd "$SCRATCH" || exit
sed -i 's/"gpt2-xl"/".\/gpt2-xl.json"/' plans.json
"$NNCOST" check plans.json --update >/dev/null
sed -i '0,/"vocab": 50257/s/"vocab": 50257/"vocab": 50304/' gpt2-xl.json
"$NNCOST" check plans.json --format github
