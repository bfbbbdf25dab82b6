#!/usr/bin/env bash
# page.sh PAGE: writes the page anew: every "$ command" in it is run ("> " goes on with it), and what stood
# below it replaced by what it prints now. A golden case of which the page is the expected output.
mkdir "$SCRATCH/bin"
ln -s "$NNCOST" "$SCRATCH/bin/nncost"
PATH=$SCRATCH/bin:$PATH
awk '
    function run() {
        fflush()
        if (command != "") system(command)
        command = ""
    }
    /^\$ / { run(); command = substr($0, 3); stale = 0; print; next }
    /^> / && command != "" { command = command "\n" substr($0, 3); print; next }
    /^```/ { run(); stale = 0; print; next }
    command != "" { stale = 1 }
    !stale { print }
' "$1"
