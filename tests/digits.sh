#!/usr/bin/env bash
# The same input gives the same digits whatever compiles the program: gcc and clang, without
# optimisation and with all of it (-march=native lets the compiler use fused multiply-add, so a
# lost -ffp-contract=off shows here).
#   usage: digits.sh ROOT BUILD    exits 77 (skipped) when a compiler is missing; BUILD keeps the builds
set -euo pipefail

root=$1 builds=$2
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || { echo "$compiler not found"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config LC_ALL=C
unset NNCOST_PATH CFLAGS

cases=(
    "gpt2-xl a100"
    "gpt2-xl v100 --precision fp16 --attention unfused --recompute selective"
    "llama3-8b h100 --micro-batch 2 --recompute full"
    "sd1-unet a100 --micro-batch 8"
)

build() # name compiler flags
{
    if ! { cmake -S "$root" -B "$builds/$1" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_C_FLAGS="$3" -DNNCOST_TESTS=OFF &&
        cmake --build "$builds/$1" --target nncost_cli -j2; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
}

answers() # name
{
    local line arguments
    for line in "${cases[@]}"; do
        read -ra arguments <<<"$line"
        # 1 is the answer "does not fit".
        "$builds/$1/nncost" estimate "${arguments[@]}" --format json || [[ $? == 1 ]]
        "$builds/$1/nncost" ops "${arguments[@]}" --format csv || [[ $? == 1 ]]
    done
}

differ=0
reference=
while read -r name compiler flags; do
    build "$name" "$compiler" "$flags"
    answers "$name" >"$work/$name.txt"
    if [[ -z $reference ]]; then
        reference=$name
    elif ! diff -u --label "$reference" --label "$name" "$work/$reference.txt" \
        "$work/$name.txt"; then
        differ=1
    fi
done <<'BUILDS'
gcc-O0 gcc -O0
gcc-O3 gcc -O3 -march=native
clang-O0 clang -O0
clang-O3 clang -O3 -march=native
BUILDS
((differ == 0)) && echo "$(wc -l <"$work/$reference.txt") lines alike in 4 builds"
exit $differ
