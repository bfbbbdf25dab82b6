"$NNCOST" check tests/golden/check/plans.json
