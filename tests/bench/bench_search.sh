#!/usr/bin/env bash
# Measures legal plans per second and full evaluations per second of two searches, with one and two threads: GPT-3 175B
# on 1,024 devices, and a small search. The last column of the output counts evaluations in the time of a fixed loop
# (reference.h), so this column depends little on the speed of the machine.
#   usage: bench_search.sh NNCOST BENCH_REFERENCE
set -euo pipefail

export LC_ALL=C
program=$1 reference=$2
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
    "$program" search "$@" --format json --output "$work/found.json"
    awk -v what="$what" -v legal="$(figure legal)" -v evaluated="$(figure evaluated)" \
        -v s="$(figure elapsed_s)" -v reference_s="$("$reference")" 'BEGIN {
            printf "%-38s %7d legal, %7d evaluated, %6.2f s: %7.0f legal/s, %7.0f evaluated/s, %.3f in a reference\n",
                what, legal, evaluated, s, legal / s, evaluated / s, evaluated / s * reference_s }'
}

twice() # what, options
{
    local what=$1 one two
    shift
    search "$what, 1 thread" "$@" --threads 1
    one=$(figure elapsed_s)
    search "$what, 2 threads" "$@" --threads 2
    two=$(figure elapsed_s)
    awk -v a="$one" -v b="$two" 'BEGIN { printf "%-38s %.2f x\n", "  the second thread brings", a / b }'
}

gpt=(gpt3-175b a100 --set vocab_multiple=1024 --devices 1024 --global-batch 1536)
twice "GPT-3, the whole space" "${gpt[@]}"
twice "GPT-3, every legal plan in full" "${gpt[@]}" --no-prune
search "the same, 1f1b and interleaved" "${gpt[@]}" --no-prune --threads 1 --schedule 1f1b,interleaved
search "Llama 3 8B on 64, in full, 1 thread" llama3-8b h100 --devices 64 --global-batch 512 --no-prune \
    --threads 1
