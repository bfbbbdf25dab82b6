# Every row is in one of the parts, and in all but one of their complements.
"$NNCOST" accuracy tests/golden/accuracy/steps.csv --fold 1/2 --format csv
"$NNCOST" accuracy tests/golden/accuracy/steps.csv --fold not:1/2 --format csv
"$NNCOST" accuracy tests/golden/accuracy/steps.csv --only /o --format csv
# All rows of a framework fall into the same part.
"$NNCOST" accuracy tests/golden/accuracy/steps.csv --fold 1/2 --group framework,device --format csv
