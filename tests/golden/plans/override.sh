"$NNCOST" estimate tests/golden/check/plans.json h100 --scenario recompute --micro-batch 2
