#!/bin/sh
# Merge driver of git for plan files: the scenarios are merged as text, the estimates are recorded anew.
#     git config merge.nncost.driver './merge-plans.sh %O %A %B %P'
#     echo 'plans.json merge=nncost' >>.gitattributes
# Ends with 1 where the scenarios themselves conflict: resolve that, then 'nncost check FILE --update'.
set -eu

base=$1 ours=$2 theirs=$3 path=$4
# Beside the file itself, from where paths in it count.
beside=$(dirname -- "$path")/.nncost-merge-$$.json
trap 'rm -f -- "$beside"' EXIT

for side in "$base" "$ours" "$theirs"; do
    # The base is empty where both sides added the file.
    if [ -s "$side" ]; then
        nncost check --forget -- "$side"
    fi
done
git merge-file -q "$ours" "$base" "$theirs"
cp -- "$ours" "$beside"
nncost check --update -- "$beside" >/dev/null || [ $? -eq 1 ]
cp -- "$beside" "$ours"
