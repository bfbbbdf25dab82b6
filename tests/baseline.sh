#!/usr/bin/env bash
# No digit of the project's own estimates moves unnoticed: checks tests/baseline.json, which has to
# cover every device of hw/. Accept what is meant to move with
#     nncost check tests/baseline.json --update
#   usage: baseline.sh NNCOST ROOT
set -euo pipefail

nncost=$(realpath "$1")
cd "$2"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

missing=0
for device in hw/*.json; do
    id=$(basename "$device" .json)
    if ! grep -qF "\"device\": \"$id\"" tests/baseline.json; then
        echo "tests/baseline.json has no scenario on $id"
        missing=1
    fi
done
# Requirements alone would pass without any figure.
grep -qF '"recorded": {' tests/baseline.json || { echo "nothing is recorded"; missing=1; }

# Nothing of the user's own specs takes the place of the repository's.
env -i PATH="$PATH" LC_ALL=C HOME="$home" NNCOST_PATH="$PWD" \
    "$nncost" check tests/baseline.json
exit $missing
