#!/usr/bin/env bash
# Tests that the example programs of the library print the right results, and that one example prints the same JSON as
# the program.
#   usage: examples.sh NNCOST ROOT TRAIN_STEP [FASTER_MEMORY]
set -euo pipefail

nncost=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config
unset NNCOST_PATH

expect() # pattern file
{
    grep -qE "$1" "$2" || { echo "no line '$1' in:"; cat "$2"; exit 1; }
}

for pair in "llama3-8b h100" "gpt2 a100" "llama2-70b h100"; do # the last pair does not fit
    read -r model device <<<"$pair"
    "$3" "$root" "$model" "$device" >"$work/output"
    expect "^step [0-9.]+ s, between [0-9.]+ and [0-9.]+ s; MFU [0-9.]+ %; [a-z]+-bound$" "$work/output"
    expect "^longest op: " "$work/output"
    expect "^searched [0-9]+ plans$" "$work/output"
    rows=4
    [[ $model != llama2-70b ]] || rows=0 # a sweep prints only plans that fit
    [[ $(grep -c "^  batch [0-9]*: " "$work/output") == "$rows" ]] ||
        { echo "no $rows rows in:"; cat "$work/output"; exit 1; }
    sed -n '/^{/,$p' "$work/output" >"$work/json"
    # Removes the section with errors of measured rows, because only the program prints it.
    { "$nncost" estimate "$model" "$device" --format json || true; } | sed -E '/^  "open_facts": \[$/,/^  \]/d; /^  "(accuracy|open_facts|trust)": /d' >"$work/expected"
    cmp "$work/expected" "$work/json" || { echo "$pair: JSON differs from nncost estimate"; exit 1; }
done
status=0
"$3" "$root" no-such-model >"$work/output" 2>"$work/error" || status=$?
[[ $status == 3 ]] || { echo "an unknown model ends with $status"; exit 1; }
expect "no-such-model" "$work/error"
if (($# > 3)); then
    "$4" "$root" >"$work/output"
    expect "^  memory x 2.00: " "$work/output"
    expect "^  mem_bytes_per_s " "$work/output"
fi
echo "examples run"
