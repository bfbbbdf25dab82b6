"$NNCOST" diff tests/golden/check/plans.json tests/golden/check/plans.json
