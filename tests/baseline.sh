#!/usr/bin/env bash
# Compares estimates of shipped files with the estimates recorded in tests/baseline.json, digit for digit.
# tests/baseline.json must use every device, model, software profile and cluster that comes with nncost. To accept
# intended changes: nncost check tests/baseline.json --update
#   usage: baseline.sh NNCOST ROOT
set -euo pipefail

nncost=$(realpath "$1")
cd "$2"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

missing=0
named() # file, text of tests/baseline.json
{
    grep -qF "$2" tests/baseline.json || { echo "tests/baseline.json has no scenario on $1"; missing=1; }
}
for file in hw/*.json; do named "$file" "\"device\": \"$(basename "$file" .json)\""; done
for file in models/*.json; do named "$file" "\"model\": \"$(basename "$file" .json)\""; done
for file in clusters/*.json; do named "$file" "\"cluster\": \"../$file\""; done
for file in software/*.json; do
    # The default profile and profiles of serving engines need not be in tests/baseline.json.
    [[ $file == software/torch-compile.json ]] || grep -q '"serving": {' "$file" || named "$file" "\"software\": \"$(basename "$file" .json)\""
done
# A scenario with requirements but without recorded values would pass without any comparison.
grep -qF '"recorded": {' tests/baseline.json || { echo "nothing is recorded"; missing=1; }

# nncost must read the files of the repository, not files of the user with the same names.
env -i PATH="$PATH" LC_ALL=C HOME="$home" NNCOST_PATH="$PWD" \
    "$nncost" check tests/baseline.json
exit $missing
