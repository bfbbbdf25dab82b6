#!/usr/bin/env bash
# Compares the time of an estimate in an older and a newer source tree. Runs bench_estimate of the older and of the
# newer tree alternately, and takes the shortest time of ROUNDS runs for each tree.
#   usage: bench_ratio.sh THEN NOW [ROUNDS]      two source trees whose build/PRESET holds bench_estimate
set -euo pipefail

export LC_ALL=C
then=$1 now=$2 rounds=${3:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

built() # tree
{
    local preset
    for preset in release dev; do
        if [[ -x $1/build/$preset/tests/bench/bench_estimate ]]; then
            echo "$1/build/$preset/tests/bench/bench_estimate"
            return
        fi
    done
    echo "$1: no build/release/tests/bench/bench_estimate, nor one of dev" >&2
    exit 2
}

program_then=$(built "$then") program_now=$(built "$now")
for ((i = 0; i < rounds; i++)); do
    "$program_then" "$then" | awk '{ print NR, "then", $4, $1, $2 }' >>"$work/times"
    "$program_now" "$now" | awk '{ print NR, "now", $4, $1, $2 }' >>"$work/times"
done
awk '{ if (!(($1, $2) in best) || $3 < best[$1, $2]) best[$1, $2] = $3; name[$1] = $4; devices[$1] = $5; last = $1 > last ? $1 : last }
    END {
        for (i = 1; i <= last; i++) {
            ratio = best[i, "now"] / best[i, "then"]; sum += log(ratio); worst = ratio > worst ? ratio : worst
            printf "%-12s %5d devices %8.2f us then, %8.2f us now, %5.2f times\n", name[i], devices[i], best[i, "then"], best[i, "now"], ratio
        }
        printf "mean %.2f times, worst %.2f\n", exp(sum / last), worst
    }' "$work/times"
