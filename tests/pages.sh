#!/usr/bin/env bash
# Tests that outputs of commands shown in README.md and docs/ are the current outputs of the program.
#   usage: pages.sh NNCOST PAGE [quick]        a page of docs/ or README.md, by its path from the repository root
# quick: does not run 'nncost calibrate', which may take minutes, and keeps its shown output. The script runs every line
# "$ command" of a Markdown page and compares the output with the lines below it; "> " continues a command. In
# README.md, only outputs above the line "end of output" are compared. Commands of README.md below the line "end of
# output" must print something and no error. Pictures are outputs of the commands in docs/pictures/README.md. ACCEPT=1
# writes the current output into the page; tools/update does this for all pages.
set -euo pipefail

nncost=$(realpath "$1") page=$2 quick=${3:-}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home" "$work/page"
ln -s "$nncost" "$work/bin/nncost"

# The program gets no variables of the user's environment except options of sanitizers.
environment=(PATH="$work/bin:$PATH" LC_ALL=C COLUMNS=100 HOME="$work/home" SCRATCH="$work")
for name in ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS; do
    [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
done
clean() { env -i "${environment[@]}" "$@"; }

rewritten() # page
{
    # shellcheck disable=SC2016 # fields of awk
    clean awk -v quick="$quick" '
        function run() {
            fflush()
            if (command != "") system(command)
            command = ""
        }
        /^\$ / {
            run()
            stale = 0
            if (quick == "" || $0 !~ /^\$ nncost calibrate /) command = substr($0, 3)
            print
            next
        }
        /^> / && command != "" { command = command "\n" substr($0, 3); print; next }
        /^```/ { run(); stale = 0; print; next }
        command != "" { stale = 1 }
        !stale { print }
    ' "$1"
}

commands_of() # page
{
    sed -n 's/^\$ \(nncost .*\)/\1/p' "$1" | sed 's/ *#.*//'
}

check_commands() # page
{
    local command status count=0
    while IFS= read -r command; do
        status=0
        clean sh -c "$command" >"$work/out" 2>"$work/err" </dev/null || status=$?
        if ((status > 1)) || [[ ! -s $work/out || -s $work/err ]]; then
            echo "$1: $command: ends with $status"
            cat "$work/err"
            return 1
        fi
        count=$((count + 1))
    done < <(commands_of "$1")
    ((count > 0))
}

now=$work/page/now
case $page in
    README.md)
        [[ ${ACCEPT:-} == 1 ]] || check_commands "$page"
        # In README.md, outputs above the line "end of output" are compared as well.
        sed '/^<!-- end of output -->/Q' "$page" >"$work/page/above"
        rewritten "$work/page/above" >"$now"
        sed -n '/^<!-- end of output -->/,$p' "$page" >>"$now"
        ;;
    docs/pictures/*.svg)
        command=$(sed -n "s/^| $(basename "$page") | \`\(nncost plot .*\)\` |\$/\1/p" docs/pictures/README.md)
        clean sh -c "$command" >"$now" || (($? == 1))
        ;;
    *.md) rewritten "$page" >"$now" ;;
    *)
        echo "$page: no page of a known kind"
        exit 1
        ;;
esac
if [[ ${ACCEPT:-} == 1 ]]; then
    cmp -s "$page" "$now" || { cp "$now" "$page" && echo "rewritten: $page"; }
else
    diff -u --label "$page" --label now "$page" "$now"
fi
