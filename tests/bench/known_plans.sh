#!/usr/bin/env bash
# Where the plans of published runs stand among all that fit: the table of docs/known-plans.md.
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

search() # file, options
{
    local file=$1
    shift
    "$program" search "$@" --no-prune --best 1 --format json --output "$work/$file.json"
}

# Plans that take no longer are those that end one step within the time of the plan that was used.
rank() # what, model, device, devices, batch, "options of all", "options of the plan used"
{
    local what=$1 used_s all
    local -a common plan
    read -ra common <<<"$6 --reserve-bytes 6000000000"
    read -ra plan <<<"$7"
    "$program" estimate "$2" "$3" "${common[@]}" --devices "$4" --global-batch "$5" "${plan[@]}" \
        --format json --output "$work/used.json"
    used_s=$(figure used step_s)
    search all "$2" "$3" --devices "$4" --global-batch "$5" "${common[@]}"
    search faster "$2" "$3" --devices "$4" --global-batch "$5" "${common[@]}" \
        --samples "$5" --deadline "$(awk -v s="$used_s" 'BEGIN { printf "%.9g", s * 1.0000001 }')"
    all=$(figure all feasible)
    awk -v what="$what" -v used="$used_s" -v best="$(figure all step_s)" -v all="$all" \
        -v rank="$(figure faster feasible)" 'BEGIN {
            printf "| %s | %.2f s | %.2f s | %d of %d | %.1f %% |\n", what, used, best, rank, all, 100 * rank / all }'
}

echo "| run | plan used | best plan | rank | of all that fit |"
echo "|---|---|---|---|---|"
rank "Llama 3 8B, 8 B200" llama3-8b b200 8 128 "--precision fp8 --software megatron" \
    "--zero 1 --micro-batch 2"
rank "Llama 3 70B, 64 H100" llama3-70b h100 64 128 "--precision fp8 --software megatron" \
    "--tensor 4 --pipeline 8 --virtual-stages 5 --sequence-parallel --zero 1 --micro-batch 1"
rank "Llama 3 405B, 256 GB200" llama3-405b gb200-nvl72 256 1536 "--precision fp8 --software megatron" \
    "--tensor 4 --pipeline 16 --virtual-stages 4 --sequence-parallel --zero 1 --micro-batch 1"
rank "GPT-3 175B, 1,536 A100 (2021)" gpt3-175b a100 1536 1536 \
    "--set vocab_multiple=1536 --software megatron-classic --attention unfused --precision fp16" \
    "--tensor 8 --pipeline 12 --recompute full --micro-batch 1"

# Of plans that were all measured, taking the one that is predicted to be fastest.
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
