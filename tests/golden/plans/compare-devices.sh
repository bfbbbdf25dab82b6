"$NNCOST" compare tests/golden/check/plans.json a100,h100 --scenario base --micro-batch 1,4
