#!/usr/bin/env bash
# Tests text/run.py: it reports lines that differ, and with ACCEPT=1 it writes the correct lines.
set -euo pipefail

run=$(cd "$(dirname "$0")" && pwd)/text/run.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A shell script replaces the program nncost in this test.
cat >nncost <<'END'
#!/bin/sh
echo "prints $*"; echo "[3]"; printf 'row\r\n'; echo "says $*" >&2; exit 3
END
chmod +x nncost

cat >right.t <<'END'
# The first case has output lines that look like marks, standard error, an exit code, a command of two lines, and a
# blank line.
$ nncost one
prints one
\[3]
row\r
! says one
[3]
$ printf '# a\n\nb'
\# a

b
\ no newline at the end
$ cat <<X
> toys: $(ls toy) $(test -f toy/hw/round.json && echo round)
> X
toys: clusters
grid
hw
models
prices
software round

# The second case of the .t file runs in a new folder, without the data that comes with the program.
$ ls; echo >left; echo "$NNCOST_PATH, $HOME" | sed "s|$HOME|home|g"
inputs
toy
toy:home/shipped, home
END

fail()
{
    echo "text_selftest: $*"
    exit 1
}

"$run" nncost right.t >out || fail "what is right differs: $(cat out)"
grep -qx '2 cases, 0 differ' out || fail "not both cases ran: $(cat out)"

# run.py must find each changed line. run.py must report only the case with the changed line as different.
for edit in 's/^prints one/prints two/' 's/^! says one/says one/' '/^\[3\]$/s/3/4/' 's/^b$/c/' '/^! says one/d' 's/^toy:home.*/&\n/'; do
    sed "$edit" right.t >wrong.t
    cmp -s right.t wrong.t && fail "$edit changes nothing"
    status=0
    "$run" nncost wrong.t >out || status=$?
    if ((status != 1)) || ! grep -qx '2 cases, 1 differ' out; then
        fail "$edit is not found: $(cat out)"
    fi
    ACCEPT=1 "$run" nncost wrong.t >out
    cmp right.t wrong.t || fail "$edit is not accepted"
done

# If a heading is given, only the case with this heading runs, and its output is printed. An unknown heading is an
# error.
"$run" nncost right.t second >out
if ! grep -qx 'toy:home/shipped, home' out || grep -q 'prints' out; then
    fail "not the one case: $(cat out)"
fi
if "$run" nncost right.t third >out; then
    fail "a case that is not there passes"
fi
echo "text/run.py tells what differs"
