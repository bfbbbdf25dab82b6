#!/bin/sh
# A merge driver of git for plan files: it merges the scenarios as text and records the estimates again.
#     git config merge.nncost.driver './merge-plans.sh %O %A %B %P'
#     echo 'plans.json merge=nncost' >>.gitattributes
# Exits with 1 if the scenarios conflict. Resolve the conflict, then run 'nncost check FILE --update'.
set -eu

base=$1 ours=$2 theirs=$3 path=$4
# The temporary file is in the folder of the plan file, because paths in a plan file are relative to this folder.
beside=$(dirname -- "$path")/.nncost-merge-$$.json
trap 'rm -f -- "$beside"' EXIT

for side in "$base" "$ours" "$theirs"; do
    # The base version is empty if both branches added the file.
    if [ -s "$side" ]; then
        nncost check --forget -- "$side"
    fi
done
git merge-file -q "$ours" "$base" "$theirs"
cp -- "$ours" "$beside"
nncost check --update -- "$beside" >/dev/null || [ $? -eq 1 ]
cp -- "$beside" "$ours"
