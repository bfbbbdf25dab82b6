"$NNCOST" explain mfu tests/golden/check/plans.json --scenario base
