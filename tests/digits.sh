#!/usr/bin/env bash
# Tests that the same input gives the same digits with every compiler. Compares the output of NNCOST with the output of
# programs that gcc and clang compiled at full optimisation. -march=native lets a compiler use fused multiply-add, so
# this test fails if the option -ffp-contract=off is missing.
#   usage: digits.sh ROOT BUILD NNCOST PROGRAM  compares with PROGRAM, an absolute path
#          digits.sh ROOT BUILD NNCOST          exits with 77 (skipped) if a compiler is missing; the builds stay in
#                                               BUILD
#          digits.sh ROOT BUILD NNCOST MACHINE  compares with gcc -O0 (O0), or with a static program for musl, aarch64,
#                                               s390x (big-endian) or i686 under qemu-user, or the program for windows
#                                               under Wine (only compiled if Wine is missing); static programs need the
#                                               source of cJSON in ROOT/build/source/cjson (tools/source)
set -euo pipefail

root=$1 builds=$2 nncost=$(realpath "$3") machine=${4:-}
runner=()
compilers=(gcc clang)
case $machine in
    "" | O0) ;;
    /*) compilers=() ;;
    musl) compilers=(musl-gcc) ;;
    windows) compilers=(x86_64-w64-mingw32-gcc) runner=("$(command -v wine64 || echo /usr/lib/wine/wine64)") ;;
    i686) compilers=(i686-linux-gnu-gcc qemu-i386) runner=(qemu-i386) ;;
    *) compilers=("$machine-linux-gnu-gcc" "qemu-$machine") runner=("qemu-$machine") ;;
esac
for compiler in "${compilers[@]}"; do
    command -v "$compiler" >/dev/null || { echo "$compiler not found"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work" 2>/dev/null || { sleep 5; rm -rf "$work"; }' EXIT # Wine ends a short time after its programs
export HOME=$work XDG_CONFIG_HOME=$work/config LC_ALL=C
export NNCOST_PATH=$root
unset CFLAGS

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
    if [[ $1 == "$machine" && $1 != O0 ]]; then
        options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DNNCOST_CJSON_SOURCE="$root/build/source/cjson"
                 -DCMAKE_EXE_LINKER_FLAGS=-static -DBUILD_SHARED_LIBS=ON -DNNCOST_STATIC=ON -DNNCOST_PYTHON=OFF -DNNCOST_HARDEN=OFF)
        [[ $1 != windows ]] || options=(--toolchain "$root/tools/mingw.cmake" "${options[@]:2}")
        for package in SQLite3 ZLIB PkgConfig; do
            options+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
        done
    fi
    if ! { cmake -S "$root" -B "$builds/$1" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_C_FLAGS="$3" -DNNCOST_TESTS=OFF "${options[@]}" &&
        cmake --build "$builds/$1" --target nncost_cli -j2; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
}

answers() # program...
{
    local line arguments program=("$@")
    ((${#cases[@]} > 0)) || return 0
    for line in "${cases[@]}"; do
        read -ra arguments <<<"$line"
        # Exit code 1 of nncost means that the plan does not fit.
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
built=1
answers "$nncost" >"$work/reference.txt"
while read -r name compiler flags; do
    made=$builds/$name/nncost
    if [[ $machine == /* ]]; then made=$machine; else build "$name" "$compiler" "$flags"; fi
    if [[ $name == windows ]]; then
        made+=.exe
        # the first run creates the folder of Wine
        [[ -z ${runner[*]} ]] || "${runner[@]}" "$made" --version >/dev/null 2>&1
        NNCOST_PATH=Z:$(realpath "$root")
    fi
    answers "${runner[@]}" "$made" >"$work/$name.txt"
    diff -u --label "$nncost" --label "$name" "$work/reference.txt" "$work/$name.txt" || differ=1
    built=$((built + 1))
done < <(case $machine in
    "") printf '%s\n' "gcc-O3 gcc -O3 -march=native" "clang-O3 clang -O3 -march=native" ;;
    O0) echo "O0 gcc -O0" ;;
    /*) echo "built" ;;
    musl) echo "musl musl-gcc -O1" ;;
    windows) echo "windows x86_64-w64-mingw32-gcc -O1" ;;
    *) echo "$machine $machine-linux-gnu-gcc -O1" ;; # compiling with -O1 takes two thirds of the time of -O2
esac)
((${#cases[@]} > 0)) || { echo "compiled for $machine; not run, as Wine is missing"; exit 0; }
((differ == 0)) && echo "$(wc -l <"$work/reference.txt") lines alike in $built builds"
exit $differ
