#!/usr/bin/env bash
# The same input gives the same digits whatever compiles the program: gcc without optimisation, gcc and clang with all of
# it (-march=native lets the compiler use fused multiply-add, so a lost -ffp-contract=off shows here).
#   usage: digits.sh ROOT BUILD          exits 77 (skipped) when a compiler is missing; BUILD keeps the builds
#          digits.sh ROOT BUILD MACHINE  aarch64, s390x (big-endian), i686 or musl against gcc -O0: static programs, under
#                                        qemu-user; needs the source of cJSON in ROOT/build/source/cjson (tools/source)
#          digits.sh ROOT BUILD windows  the program for Windows; compiled alone, and that is said, where Wine is missing
set -euo pipefail

root=$1 builds=$2 machine=${3:-}
runner=()
compilers=(gcc clang)
case $machine in
    "") ;;
    musl) compilers=(gcc musl-gcc) ;;
    windows) compilers=(gcc x86_64-w64-mingw32-gcc) runner=("$(command -v wine64 || echo /usr/lib/wine/wine64)") ;;
    i686) compilers=(gcc i686-linux-gnu-gcc qemu-i386) runner=(qemu-i386) ;;
    *) compilers=(gcc "$machine-linux-gnu-gcc" "qemu-$machine") runner=("qemu-$machine") ;;
esac
for compiler in "${compilers[@]}"; do
    command -v "$compiler" >/dev/null || { echo "$compiler not found"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work" 2>/dev/null || { sleep 5; rm -rf "$work"; }' EXIT # Wine ends a little later than its programs
export HOME=$work XDG_CONFIG_HOME=$work/config LC_ALL=C
unset NNCOST_PATH CFLAGS

cases=(
    "gpt2-xl a100"
    "gpt2-xl v100 --precision fp16 --attention unfused --recompute selective"
    "llama3-8b h100 --micro-batch 2 --recompute full"
    "sd1-unet a100 --micro-batch 8"
)

if [[ $machine == windows && ! -x ${runner[0]} ]]; then
    cases=()
    runner=()
fi
export WINEPREFIX=$work/wine WINEDEBUG=-all

build() # name compiler flags
{
    local options=()
    if [[ $1 == "$machine" ]]; then
        options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_EXE_LINKER_FLAGS=-static)
        [[ $1 != windows ]] || options=(--toolchain "$root/tools/mingw.cmake")
        options+=(-DNNCOST_CJSON_SOURCE="$root/build/source/cjson" -DBUILD_SHARED_LIBS=ON -DNNCOST_STATIC=ON -DNNCOST_PYTHON=OFF
                  -DNNCOST_HARDEN=OFF)
        for package in SQLite3 ZLIB PkgConfig; do
            options+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
        done
    fi
    if ! { cmake -S "$root" -B "$builds/$1" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_C_FLAGS="$3" -DNNCOST_TESTS=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "${options[@]}" &&
        cmake --build "$builds/$1" --target nncost_cli -j2; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
}

answers() # name
{
    local line arguments program=("$builds/$1/nncost")
    [[ $1 != windows ]] || program=("${program[0]}.exe")
    [[ $1 != "$machine" ]] || program=("${runner[@]}" "${program[@]}")
    ((${#cases[@]} > 0)) || return 0
    for line in "${cases[@]}"; do
        read -ra arguments <<<"$line"
        # 1 is the answer "does not fit".
        "${program[@]}" estimate "${arguments[@]}" --format json || [[ $? == 1 ]]
        "${program[@]}" ops "${arguments[@]}" --format csv || [[ $? == 1 ]]
    done
    [[ -n $machine ]] || return 0
    "${program[@]}" run llama3-8b h100 --devices 64 --zero 3 --tokens 1e12 --device-mtbf-s 50000h --storage-write-bytes-per-s 1e10 --format json
    "${program[@]}" serve llama3-8b h100 --request-rate 4 --requests 500 --format json
    "${program[@]}" scale gpt2-xl a100 --devices 1,8 --global-batch 64 --threads 1 --format json | grep -v elapsed_s
    "${program[@]}" search gpt2-xl a100 --devices 8 --global-batch 64 --threads 1 --format json | grep -v elapsed_s
    "${program[@]}" limit llama3-8b tpu-v5p --of data --devices 64 --zero 3 --format json
    "${program[@]}" budget --device h100 --cost 1e6 --format json
}

differ=0
built=0
reference=
while read -r name compiler flags; do
    build "$name" "$compiler" "$flags"
    [[ $name != windows || -z ${runner[*]} ]] || "${runner[@]}" "$builds/$name/nncost.exe" --version >/dev/null 2>&1 # makes Wine's folder
    answers "$name" >"$work/$name.txt"
    if [[ -z $reference ]]; then
        reference=$name
    elif ! diff -u --label "$reference" --label "$name" "$work/$reference.txt" \
        "$work/$name.txt"; then
        differ=1
    fi
    built=$((built + 1))
done < <(case $machine in
    "") printf '%s\n' "gcc-O0 gcc -O0" "gcc-O3 gcc -O3 -march=native" "clang-O3 clang -O3 -march=native" ;;
    musl) printf '%s\n' "gcc-O0 gcc -O0" "musl musl-gcc -O2" ;;
    windows) printf '%s\n' "gcc-O0 gcc -O0" "windows x86_64-w64-mingw32-gcc -O2" ;;
    i686) printf '%s\n' "gcc-O0 gcc -O0" "i686 i686-linux-gnu-gcc -O2" ;;
    *) printf '%s\n' "gcc-O0 gcc -O0" "$machine $machine-linux-gnu-gcc -O2" ;;
esac)
((${#cases[@]} > 0)) || { echo "compiled for $machine; not run, as Wine is missing"; exit 0; }
((differ == 0)) && echo "$(wc -l <"$work/$reference.txt") lines alike in $built builds"
exit $differ
