"$NNCOST" ops tests/golden/check/plans.json --scenario base --top 3
