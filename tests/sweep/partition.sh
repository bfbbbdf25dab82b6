#!/usr/bin/env bash
# Tests that a sweep writes the same bytes with any number of threads, and that its merged shards have the same bytes as
# well.
#   usage: partition.sh NNCOST
set -euo pipefail
export LC_ALL=C

nncost=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work
NNCOST_PATH=$(cd "$(dirname "$0")/../toy" && pwd)
export NNCOST_PATH

sweep() { "$nncost" sweep dense,experts fitted,round --devices 16 --tensor 1..4 --zero 0,3 \
    --micro-batch 1..16 --where 'mfu > 0.3' "$@"; }

for format in csv json table markdown; do
    sweep --format $format --threads 1 >"$work/1.$format"
    for threads in 2 5; do
        sweep --format $format --threads $threads | cmp - "$work/1.$format"
    done
done
sweep --all --top 40 --by memory.total_bytes:desc --format csv --threads 1 >"$work/top"
sweep --all --top 40 --by memory.total_bytes:desc --format csv --threads 5 | cmp - "$work/top"
(($(wc -l <"$work/1.csv") > 50))

for format in csv json; do
    for shards in 1 3 7; do
        parts=()
        for ((i = shards; i >= 1; i--)); do
            sweep --format $format --shard $i/$shards >"$work/part$i"
            parts+=("$work/part$i")
        done
        rm -f "$work/merged"
        "$nncost" merge "$work/merged" "${parts[@]}"
        cmp "$work/merged" "$work/1.$format"
    done
done
echo "$(($(wc -l <"$work/1.csv") - 1)) rows, the same from any threads and shards"
