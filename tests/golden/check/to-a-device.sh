cat tests/golden/check/plans.json | "$NNCOST" check /dev/stdin --update
