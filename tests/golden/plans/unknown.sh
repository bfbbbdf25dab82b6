"$NNCOST" estimate tests/golden/check/plans.json --scenario bases
