#!/usr/bin/env bash
# Tests that a sweep and a search on several MPI ranks write the same bytes as one process.
#   usage: mpi.sh NNCOST ROOT BUILD    exits 77 (skipped) when there is no MPI
# If the program was built without MPI, the test first builds a program with MPI in BUILD; the next run of the test uses
# this program again. CFLAGS and PRESET are those of the tested build, so that ccache already has most objects.
set -euo pipefail
export LC_ALL=C

nncost=$1 root=$2 build=$3
for tool in mpirun mpicc; do
    command -v $tool >/dev/null || { echo "$tool not found"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work
unset NNCOST_PATH

if [[ $(ldd "$nncost") != *libmpi* ]]; then
    if ! { cmake -S "$root" --preset "${PRESET:-dev}" -B "$build" -DCMAKE_C_FLAGS="${CFLAGS:-}" -DNNCOST_TESTS=OFF \
        -DNNCOST_MPI=ON && cmake --build "$build" --target nncost_cli -j2; } \
        >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    nncost=$build/nncost
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
# All ranks must end if the sweep has no rows, and if rank 0 fails. With 'mpirun --quiet', a command that exits with 1
# must print only its own lines.
status=0
mpirun --quiet -n 3 --oversubscribe --allow-run-as-root "$nncost" "${plans[@]}" --where 'tensor > 9' >"$work/out" \
    2>"$work/err" || status=$?
((status == 1)) && [[ $(<"$work/err") == 'nncost: --where: leaves none'* ]] && (($(wc -l <"$work/err") == 1))
status=0
ranks 3 --output "$work/no/such" 2>"$work/err" || status=$?
((status == 4)) && (($(grep -c '^nncost: ' "$work/err") == 1))
for wrong in --bogus 'one more'; do
    status=0
    ranks 3 "$wrong" --output "$work/none" 2>"$work/err" || status=$?
    ((status == 2)) && (($(grep -c '^nncost: ' "$work/err") == 1)) && [[ ! -e $work/none ]]
done

# Runs a search on ranks and compares all its counts: each round must prune the plans that a search in one process
# prunes. Only the elapsed time and the number of threads of the two searches may differ.
search() # name, ranks (0: without mpirun), options
{
    local name=$1 ranks=$2 status=0 run=()
    shift 2
    ((ranks == 0)) || run=(mpirun -n "$ranks" --oversubscribe --allow-run-as-root)
    "${run[@]}" "$nncost" search "$@" >"$work/$name" 2>"$work/$name.err" || status=$?
    sed -i -E 's/"(elapsed_s|threads)": .*/"\1": 0,/' "$work/$name"
    return $status
}
same_search() # ranks, options
{
    local n ranks=$1
    shift
    search alone.search 0 "$@"
    for n in $ranks; do
        search ranks.search "$n" "$@"
        cmp "$work/alone.search" "$work/ranks.search"
    done
}
refused_search() # exit-code text options
{
    local expected=$1 text=$2 status=0
    shift 2
    search none.search 4 "$@" || status=$?
    ((status == expected)) && [[ ! -s $work/none.search ]] || return 1
    (($(grep -c '^nncost: ' "$work/none.search.err") == 1))
    grep -q "^nncost: $text" "$work/none.search.err"
}
plans=(gpt2-xl a100 --devices 64 --global-batch 96)
same_search "1 2 4" "${plans[@]}" --best 30 --format json
same_search 4 "${plans[@]}" --no-prune --format json --schedule 1f1b,interleaved
same_search 3 "${plans[@]}" --objective memory --format csv
same_search 2 "${plans[@]}" --shard 2/3 --threads 2 --format json
same_search 3 "${plans[@]}" --max-memory 12e9 --target-step 100ms --format json
same_search 4 llama3-8b h100 --devices 8..64 --global-batch 64 --format json
refused_search 2 '--shard: expected I/N' "${plans[@]}" --shard 4/3
refused_search 3 '--tensor: ' "${plans[@]}" --tensor 64
refused_search 3 '.*gpt9' gpt9 a100 --devices 8 --global-batch 8
refused_search 4 "$work/no/such" "${plans[@]}" --output "$work/no/such"

# If one rank fails, all ranks must end with the message of this rank. In this test, rank 2 reads a different file, or
# cannot read its file.
mkdir "$work/here" "$work/there"
cp "$root/models/gpt2.json" "$work/here"
sed 's/"layers": 12/"layers": 24/' "$work/here/gpt2.json" >"$work/there/gpt2.json"
cat >"$work/rank.sh" <<'END'
#!/bin/sh
work=$1 bad=$2 program=$3
shift 3
folder=here
[ "$OMPI_COMM_WORLD_RANK" != "$bad" ] || folder=there
command=$1
shift
exec "$program" "$command" "$work/$folder/gpt2.json" a100 "$@"
END
refused_rank() # exit-code text bad-rank command
{
    local status=0
    timeout 60 mpirun -n 3 --oversubscribe --allow-run-as-root sh "$work/rank.sh" "$work" "$3" "$nncost" \
        "${@:4}" >"$work/out" 2>"$work/err" || status=$?
    if ((status != $1)) || [[ -s $work/out ]] || (($(grep -c '^nncost: ' "$work/err") != 1)) ||
        ! grep -q "^nncost: $2" "$work/err"; then
        echo "expected $1 and \"$2\", found $status and"
        cat "$work/out" "$work/err"
        exit 1
    fi
}
search=(search --devices 8 --global-batch 8)
rows=(sweep --micro-batch '1..16' --seq-len '1..100' --format csv)
refused_rank 3 'rank 2: reads other files' 2 "${search[@]}"
refused_rank 3 'rank 1: reads other files' 1 "${rows[@]}"
printf '{' >"$work/there/gpt2.json"
for rank in 0 1 2; do
    refused_rank 3 "$work/there/gpt2.json:1:2: bad syntax" $rank "${rows[@]}"
done
rm "$work/there/gpt2.json"
refused_rank 4 "$work/there/gpt2.json: " 2 "${search[@]}"
refused_rank 4 "$work/there/gpt2.json: " 2 "${rows[@]}"
# If a search fails, the old output file must not change.
echo kept >"$work/old"
refused_rank 4 "$work/there/gpt2.json: " 1 "${rows[@]}" --output "$work/old"
[[ $(cat "$work/old") == kept ]]

echo "$(($(wc -l <"$work/alone") - 1)) rows, the same from any ranks"
