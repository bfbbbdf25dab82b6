#!/usr/bin/env bash
# Prints the tables of docs/known-plans.md, which compare plans of published runs with the fastest plans of a search.
#   usage: known_plans.sh NNCOST
set -euo pipefail

export LC_ALL=C
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

figure() # file, name
{
    grep -o "\"$2\": [0-9.e+-]*" "$work/$1.json" | sed -n '1s/.*: //p'
}

# Prints the step time of the published plan, and of the fastest plan that a search finds with the same options.
compare() # run, model, device, devices, batch, "options of both", "options of the published plan"
{
    local -a common plan
    read -ra common <<<"$6 --reserve-bytes 6000000000 --devices $4 --global-batch $5"
    read -ra plan <<<"$7"
    "$program" estimate "$2" "$3" "${common[@]}" "${plan[@]}" --format json --output "$work/used.json"
    "$program" search "$2" "$3" "${common[@]}" --best 1 --format json --output "$work/all.json"
    awk -v run="$1" -v used="$(figure used step_s)" -v best="$(figure all step_s)" -v all="$(figure all feasible)" \
        'BEGIN { printf "| %s | %.2f s | %.2f s | %.1f %% | %d |\n", run, used, best, 100 * (used / best - 1), all }'
}

echo "| run | published plan | fastest plan | difference | plans that fit |"
echo "|---|---|---|---|---|"
compare "Llama 3 8B, 8 B200" llama3-8b b200 8 128 "--precision fp8 --software megatron --policy mixed" \
    "--zero 1 --micro-batch 2"
compare "Llama 3 70B, 64 H100" llama3-70b h100 64 128 "--precision fp8 --software megatron --policy mixed" \
    "--tensor 4 --pipeline 8 --virtual-stages 5 --sequence-parallel --zero 1 --micro-batch 1"
compare "Llama 3 405B, 256 GB200" llama3-405b gb200-nvl72 256 1536 "--precision fp8 --software megatron --policy mixed" \
    "--tensor 4 --pipeline 16 --virtual-stages 4 --ends-as-layers --sequence-parallel --zero 1 --micro-batch 1"
compare "GPT-3 175B, 1,536 A100 (2021)" gpt3-175b a100 1536 1536 \
    "--set vocab_multiple=1536 --software megatron-classic --attention unfused --precision fp16" \
    "--tensor 8 --pipeline 12 --recompute full --micro-batch 1"

# For measured plans with the same number of devices: takes the plan that nncost predicts to be the fastest, and prints
# by how much its measured time exceeds the time of the fastest measured plan.
echo
echo "| GPUs | plans | rank correlation | our first | best of our first three |"
echo "|---|---|---|---|---|"
"$program" accuracy tests/published/training_vtrain_multi.csv --format csv --output "$work/rows.csv"
for devices in 64 256 512; do
    grep "multi/g$devices-" "$work/rows.csv" | sort -t, -k3g | awk -F, '{ print $2, NR }' | sort -g |
        awk -v devices="$devices" '
            NR == 1 { best = $1 }
            { d += ($2 - NR) ^ 2 }
            $2 == 1 { first = $1 }
            $2 <= 3 && !three { three = $1 }
            END {
                printf "| %d | %d | %.2f | %+.1f %% | %+.1f %% |\n", devices, NR,
                    1 - 6 * d / (NR * (NR ^ 2 - 1)), 100 * (first / best - 1), 100 * (three / best - 1)
            }'
done
