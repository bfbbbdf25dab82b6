#!/usr/bin/env bash
# Kills sweeps at random moments while they write into a database, and starts them again. In the end, the database must
# have the same rows as after an uninterrupted sweep. The script also kills merges of the databases of shards, and
# starts them again.
#   usage: resume.sh NNCOST          exits 77 (skipped) when built without SQLite
set -euo pipefail
export LC_ALL=C

nncost=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work
NNCOST_PATH=$(cd "$(dirname "$0")/../toy" && pwd)
export NNCOST_PATH
cd "$work"

"$nncost" sweep dense round --db probe.db >log 2>&1 || { cat log; exit 77; }

# The sweep has many rows, so that it is still running when it is killed.
plans=(sweep dense fitted --micro-batch '1,2' --seq-len 1..300 --micro-batches 1..50 --threads 2)
sweep() { "$nncost" "${plans[@]}" "$@"; }

rows_of() { rm -f "$1.csv"; "$nncost" merge "$1.csv" "$1"; }

begun=$(date +%s%N)
sweep --db whole.db
took=$(($(date +%s%N) - begun))
rows_of whole.db
part() { printf '0.%09d' $((took * $1 / 100 % 1000000000)); } # percent of the time of a whole sweep

killed=0
for delay in "$(part 5)" "$(part 30)" "$(part 40)" "$(part 20)"; do
    # The sweep is not started in a function, because kill would then end only the shell of the function.
    "$nncost" "${plans[@]}" --db killed.db >/dev/null 2>&1 &
    child=$!
    sleep "$delay"
    kill -9 $child 2>/dev/null && killed=$((killed + 1))
    wait $child 2>/dev/null || true
done
sweep --db killed.db
rows_of killed.db
cmp whole.db.csv killed.db.csv
sweep --db killed.db >again
grep -q 'was complete' again

# After a signal, the database has complete rows, and the command prints a message and exits with 128 + signal. After
# the next start, the sweep computes the missing rows.
"$nncost" "${plans[@]}" --db stopped.db >/dev/null 2>stopped.err &
child=$!
sleep "$(part 50)"
kill -TERM $child
status=0
wait $child || status=$?
if ((status != 0)); then
    ((status == 143)) && grep -q 'nncost: sweep: stopped after' stopped.err
fi
sweep --db stopped.db
rows_of stopped.db
cmp whole.db.csv stopped.db.csv

for i in 1 2 3; do
    sweep --db part$i.db --shard $i/3
done
"$nncost" merge merged.db part3.db part1.db part2.db
rows_of merged.db
cmp whole.db.csv merged.db.csv

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
seq 1000 >text
cp text before
refused 3 'text: not a database' sweep --db text
cmp text before
refused 3 'another sweep' sweep --db whole.db --all
refused 3 'another shard' sweep --db part1.db --shard 2/3
refused 4 'cannot' sweep --db no/such/file
refused 2 'cannot be used together with' sweep --db x.db --format csv
refused 2 'exists already' "$nncost" merge whole.db part1.db
refused 2 'all 3 shards' "$nncost" merge new.db part1.db part2.db
[[ ! -e new.db && ! -e x.db ]]

echo "$(($(wc -l <whole.db.csv) - 1)) rows, the same after $killed kills"
