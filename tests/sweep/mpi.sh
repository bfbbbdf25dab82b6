#!/usr/bin/env bash
# Over MPI ranks a sweep writes the bytes that one process writes.
#   usage: mpi.sh NNCOST ROOT          exits 77 (skipped) when there is no MPI
# A program that was built without MPI is built with it first, in a folder of its own.
set -euo pipefail
export LC_ALL=C

nncost=$1 root=$2
for tool in mpirun mpicc; do
    command -v $tool >/dev/null || { echo "$tool not found"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work
unset NNCOST_PATH CFLAGS

if [[ $(ldd "$nncost") != *libmpi* ]]; then
    if ! { cmake -S "$root" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DNNCOST_TESTS=OFF \
        -DNNCOST_MPI=ON && cmake --build "$work/build" --target nncost_cli -j2; } \
        >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    nncost=$work/build/nncost
fi

plans=(sweep llama3-8b 'h100,a100' --devices 16 --tensor 1..4 --zero '0,3' --micro-batch 1..8
    --micro-batches 1..9)
sweep() { "$nncost" "${plans[@]}" "$@"; }
ranks() { mpirun -n "$1" --oversubscribe --allow-run-as-root "$nncost" "${plans[@]}" "${@:2}"; }

sweep --format csv >"$work/alone"
for n in 1 2 4; do
    ranks $n --format csv >"$work/ranks"
    cmp "$work/alone" "$work/ranks"
done
if sweep --db "$work/alone.db" >/dev/null 2>&1; then
    ranks 3 --db "$work/ranks.db" >/dev/null
    "$nncost" merge "$work/ranks.csv" "$work/ranks.db"
    cmp "$work/alone" "$work/ranks.csv"
fi
# Nothing to do, and a failure of rank 0, end all ranks.
status=0
ranks 3 --where 'tensor > 9' >"$work/out" 2>"$work/err" ||
    status=$?
((status == 1)) && (($(grep -c '^nncost: --where: leaves none' "$work/err") == 1))
status=0
ranks 3 --output "$work/no/such" 2>"$work/err" || status=$?
((status == 4)) && (($(grep -c '^nncost: ' "$work/err") == 1))
echo "$(($(wc -l <"$work/alone") - 1)) rows, the same from any ranks"
