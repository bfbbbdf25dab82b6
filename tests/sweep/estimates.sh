#!/usr/bin/env bash
# Tests that every row of a sweep has the numbers that 'nncost estimate' prints for the same plan, in all digits of all
# metrics.
#   usage: estimates.sh NNCOST
set -euo pipefail
export LC_ALL=C

nncost=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work
NNCOST_PATH=$(cd "$(dirname "$0")/../toy" && pwd)
export NNCOST_PATH

tensors=(1 2 4 3)
pipelines=(1 2 4)
zeros=(0 1 3)
batches=(1 4)
recomputes=(none norm+activation full)

"$nncost" estimate dense round --format csv >"$work/one"
columns=$(head -n 1 "$work/one" | tr -d '\r')
join() { local IFS=,; echo "$*"; }
"$nncost" sweep dense fitted --software any --devices 16 --micro-batches 4 --sequence-parallel \
    --tensor "$(join "${tensors[@]}")" --pipeline "$(join "${pipelines[@]}")" \
    --zero "$(join "${zeros[@]}")" --micro-batch "$(join "${batches[@]}")" \
    --recompute "$(join "${recomputes[@]}")" --all --columns "verdict,$columns" --format csv |
    tail -n +2 >"$work/swept" || true # exit code 1: no plan fits

compared=0 illegal=0
exec 3<"$work/swept"
for tensor in "${tensors[@]}"; do
    for pipeline in "${pipelines[@]}"; do
        for zero in "${zeros[@]}"; do
            for batch in "${batches[@]}"; do
                for recompute in "${recomputes[@]}"; do
                    IFS= read -r row <&3
                    if [[ $row == illegal,* ]]; then
                        illegal=$((illegal + 1))
                        continue
                    fi
                    # exit code 1: the plan does not fit
                    "$nncost" estimate dense fitted --devices 16 --micro-batches 4 \
                        --sequence-parallel --tensor "$tensor" --pipeline "$pipeline" \
                        --zero "$zero" --micro-batch "$batch" --recompute "${recompute//+/,}" \
                        --format csv >"$work/one" || [[ $? == 1 ]]
                    one=$(tail -n 1 "$work/one")
                    if [[ ${row#*,} != "$one" ]]; then
                        printf 'tensor %s pipeline %s zero %s batch %s recompute %s differ:\n%s\n%s\n' \
                            "$tensor" "$pipeline" "$zero" "$batch" "$recompute" "${row#*,}" "$one"
                        exit 1
                    fi
                    compared=$((compared + 1))
                done
            done
        done
    done
done
! read -r row <&3 || { echo "a row too many: $row"; exit 1; }
((compared > 50 && illegal > 0)) || { echo "compared only $compared rows"; exit 1; }
echo "$compared rows equal their estimates, $illegal illegal"
