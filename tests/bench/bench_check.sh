#!/usr/bin/env bash
# Measures the time of 'nncost check' for a plan file with a thousand scenarios, each with all of its metrics recorded.
#   usage: bench_check.sh BENCH_COLD NNCOST [RUNS]
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C HOME=$work XDG_CONFIG_HOME=$work
unset NNCOST_PATH
{
    printf '{ "schema": "nncost.plans/1", "scenarios": ['
    separator=
    for model in gpt2 gpt2-xl llama2-7b llama3-8b llama3-70b; do
        for device in a100 h100; do
            for batch in {1..100}; do
                printf '%s\n{ "id": "%s-%s-%d", "model": "%s", "device": "%s",' \
                    "$separator" "$model" "$device" "$batch" "$model" "$device"
                printf ' "micro_batch": %d, "require": { "mfu": ">= 0" } }' "$batch"
                separator=,
            done
        done
    done
    printf '\n] }\n'
} >"$work/plans.json"
"$2" check "$work/plans.json" --update >/dev/null
echo "check of 1000 scenarios, $(($(stat -c %s "$work/plans.json") / 1000)) kB:"
"$1" "${3:-20}" "$2" check "$work/plans.json"
