"$NNCOST" compare tests/golden/check/plans.json
