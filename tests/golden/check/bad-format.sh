"$NNCOST" check tests/golden/check/plans.json --format xml
