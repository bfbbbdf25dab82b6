#!/usr/bin/env bash
# What a search of GPT-3 175B on 1,024 devices covers per second, and what full evaluation costs.
#   usage: bench_search.sh NNCOST
set -euo pipefail

export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

figure() # name
{
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" "$work/found.json" | head -1
}

search() # what, options
{
    local what=$1
    shift
    "${nncost[@]}" "$@" --format json --output "$work/found.json"
    awk -v what="$what" -v space="$(figure space)" -v evaluated="$(figure evaluated)" \
        -v s="$(figure elapsed_s)" 'BEGIN {
            printf "%-34s %9d plans, %7d evaluated, %6.2f s: %9.0f plans/s, %7.0f evaluated/s\n",
                what, space, evaluated, s, space / s, evaluated / s }'
}

nncost=("$1" search gpt3-175b a100 --set vocab_multiple=1024 --devices 1024 --global-batch 1536)
search "the whole space, 1 thread" --threads 1
search "the whole space, 2 threads" --threads 2
search "every legal plan in full, 1 thread" --threads 1 --no-prune --tensor 8 --recompute none \
    --schedule 1f1b,interleaved
