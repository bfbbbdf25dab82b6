#!/usr/bin/env bash
# Tests that the merged shards of a search give the same result as the whole search, with and without pruning.
#   usage: search.sh NNCOST
set -euo pipefail
export LC_ALL=C

nncost=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work
NNCOST_PATH=$(cd "$(dirname "$0")/../toy" && pwd)
export NNCOST_PATH
cd "$work"

plans=(dense fitted --devices 8 --global-batch 12 --best 30)
sizes=(dense fitted --devices '2,4,6,12' --global-batch 12 --recompute 'none,full')
limits=(dense fitted --devices 8 --global-batch 16 --tokens 1e9)

# A merged search and a whole search differ in the elapsed time and the number of threads. Only the whole search prints
# how probable it is that its best plan is the fastest. A shard prunes fewer plans than the whole search, because it
# compares only its own plans. Legal and fitting plans are counted before pruning.
untimed() { sed -E 's/"(elapsed_s|threads)": .*/"\1": 0,/; /^  "plans": \[$/,/^  \]/d; /^  "plans": /d' "$1"; }
uncounted() { untimed "$1" | sed -E 's/"(evaluated|pruned)": [0-9]+/"\1": 0/g'; }
figure() { sed -nE "s/^  \"$2\": ([0-9]+),/\1/p" "$1"; }

merged() # shards, options: shards in files, merged.json and merged.csv
{
    local shards=$1 i parts=() status=0
    shift
    for ((i = shards; i >= 1; i--)); do
        "$nncost" search "$@" --shard "$i/$shards" --format json --output "part$i" || return 99
        (($(figure "part$i" space) == $(figure "part$i" evaluated) + $(figure "part$i" pruned))) || return 99
        parts+=("part$i")
    done
    rm -f merged.json merged.csv
    "$nncost" merge merged.json "${parts[@]}" || status=$?
    "$nncost" merge merged.csv "${parts[@]}" || (($? == status)) || return 99
    return "$status"
}

same() # shards, options
{
    local shards=$1 expected=0 status=0
    shift
    "$nncost" search "$@" --format json --output whole.json || expected=$?
    "$nncost" search "$@" --format csv --output whole.csv || (($? == expected))
    merged "$shards" "$@" || status=$?
    ((status == expected))
    cmp whole.csv merged.csv
    uncounted whole.json >whole
    uncounted merged.json >merged
    cmp whole merged
    for counter in space covered legal feasible; do
        (($(figure whole.json "$counter") == $(figure merged.json "$counter")))
    done
    if [[ $* == *--no-prune* ]]; then
        untimed whole.json >whole
        untimed merged.json >merged
        cmp whole merged
    fi
}

for shards in 1 2 7; do
    same $shards "${plans[@]}"
done
same 3 "${plans[@]}" --no-prune
same 3 "${plans[@]}" --objective memory --threads 2
same 3 "${sizes[@]}"
same 2 "${sizes[@]}" --no-prune
same 3 "${limits[@]}" --deadline 12h
same 3 "${limits[@]}" --deadline 1s # no plan meets this deadline
same 20 dense round --devices 1 --global-batch 2

refused() # exit-code text command...
{
    local expected=$1 text=$2 status=0
    shift 2
    "$@" >out 2>err || status=$?
    if [[ $status != "$expected" || -s out || $(wc -l <err) != 1 ]] || ! grep -q "$text" err; then
        echo "expected $expected and \"$text\" from: $*"
        cat out err
        exit 1
    fi
}
merge() { refused "$1" "$2" "$nncost" merge new.json "${@:3}"; }
merged 3 "${plans[@]}"
sed 's/"covered": [0-9]*/"covered": 64/' part2 >stopped
"$nncost" search "${plans[@]}" --zero 1 --shard 2/3 --format json --output other
"$nncost" sweep dense round --shard 1/2 --format json --output swept
head -c 3000 part2 >"cut-off"
merge 2 'shard 2/3 is missing' part1 part3
merge 3 'is shard 1/3, the same shard as part1' part1 part2 part3 part1
merge 3 'another search than part1' part1 other part3
merge 3 'covered: the search was stopped' part1 stopped part3
merge 3 'shard: not the output of a shard' part1 whole.json part3
merge 3 'swept' part1 swept part3
merge 3 "cut-off:" part1 cut-off part3
merge 4 'no-such' part1 no-such part3
refused 2 'exists already' "$nncost" merge part1 part2 part3
[[ ! -e new.json ]]

echo "$(figure whole.json space) combinations and more, the same from any shards"
