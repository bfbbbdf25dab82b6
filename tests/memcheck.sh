#!/usr/bin/env bash
# Runs commands under valgrind, which reports reads of uninitialised or unallocated memory. An estimate that depends on
# uninitialised memory can be right on one system and wrong on another.
#   usage: memcheck.sh NNCOST
set -euo pipefail
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fault=0
while read -r command; do
    code=0
    # shellcheck disable=SC2086 # a line is a list of words
    valgrind --quiet --error-exitcode=99 --log-file="$work/said" "$1" $command >/dev/null 2>&1 || code=$?
    # exit code 1: the plan does not fit
    ((code <= 1)) || { echo "nncost $command: exit $code"; head -12 "$work/said"; fault=1; }
done <<'END'
estimate gpt2-xl h100 --micro-batch 8
estimate meta-llama/Llama-3.1-8B h100 --lora 16
estimate resnet-50 a100 --precision fp16
estimate deepseek-v3 h800 --devices 2048 --pipeline 16 --expert 64 --software hai-llm --global-batch 15360
estimate tests/data/interop/axolotl--llama-3--fft-8b.yaml h100
search llama3-8b h100 --devices 16 --threads 1 --best 2
fit llama3-8b rtx4090 --lora 16
serve deepseek-v3 h100 --devices 32 --attention-data 32 --expert 32 --software sglang --precision fp8 --weights fp8-block --batch 64
ops swin-t h100
END
exit "$fault"
