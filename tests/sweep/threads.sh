#!/usr/bin/env bash
# Tests that sweeps and searches print the same output with many threads as with one thread. threads.sh also runs in
# builds with a sanitizer.
#   usage: threads.sh NNCOST
set -euo pipefail
export LC_ALL=C
nncost=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=(sweep gpt2 'h100,a100' --devices 16 --tensor '1,2,4' --micro-batch '1..16' --micro-batches '1..16' --format csv)
plans=(search gpt2-xl a100 --devices 16 --global-batch 32 --format json)

for threads in 1 8; do
    "$nncost" "${rows[@]}" --threads $threads >"$work/rows.$threads"
    "$nncost" "${plans[@]}" --threads $threads | sed -E 's/"(elapsed_s|threads)": .*/"\1": 0,/' >"$work/plans.$threads"
    rm -f "$work/rows.db"
    "$nncost" "${rows[@]:0:${#rows[@]}-2}" --threads $threads --db "$work/rows.db" >/dev/null
    "$nncost" merge "$work/db.$threads.csv" "$work/rows.db"
done
cmp "$work/rows.1" "$work/rows.8"
cmp "$work/plans.1" "$work/plans.8"
cmp "$work/db.1.csv" "$work/db.8.csv"
cmp "$work/rows.1" "$work/db.1.csv"
