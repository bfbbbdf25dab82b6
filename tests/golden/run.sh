#!/usr/bin/env bash
# Runs one golden case and compares what it prints with the files beside it.
#
#   usage: run.sh PROGRAM COMMAND/CASE
#
# tests/golden/COMMAND/CASE.sh runs under `sh` in the repository root; it calls "$NNCOST", and may
# write below "$SCRATCH". Its standard output, standard error and exit code must equal CASE.out,
# CASE.err (absent: nothing) and CASE.exit (absent: 0). ACCEPT=1 rewrites these files.
# CASE.at in place of CASE.out names the page of the repository that holds the output.
# In the output the repository root reads @ROOT@ and the scratch folder @SCRATCH@.
set -euo pipefail

program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
case_file=$here/$2
out_file=$case_file.out
[[ ! -f $case_file.at ]] || out_file=$root/$(<"$case_file.at")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/config" "$scratch/home" "$scratch/case"

# Nothing of the user's environment reaches the program, the sanitizers' options excepted.
environment=(
    PATH="$PATH" LC_ALL=C COLUMNS=100
    HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/config"
    NNCOST="$program" SCRATCH="$scratch/case"
)
for name in ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS; do
    [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
done

status=0
(cd "$root" && env -i "${environment[@]}" sh "$case_file.sh" \
    >"$scratch/out" 2>"$scratch/err" </dev/null) || status=$?
echo "$status" >"$scratch/exit"
sed -i "s|$scratch/case|@SCRATCH@|g; s|$root|@ROOT@|g" "$scratch/out" "$scratch/err"

# An empty .err and an exit code of 0 have no file.
expected() # out|err|exit
{
    if [[ $1 == out ]]; then
        cat "$out_file"
    elif [[ -f $case_file.$1 ]]; then
        cat "$case_file.$1"
    elif [[ $1 == exit ]]; then
        echo 0
    fi
}

accept()
{
    cp "$scratch/out" "$out_file"
    rm -f "$case_file.err" "$case_file.exit"
    [[ ! -s $scratch/err ]] || cp "$scratch/err" "$case_file.err"
    [[ $status == 0 ]] || cp "$scratch/exit" "$case_file.exit"
    echo "accepted $2"
}

if [[ ${ACCEPT:-} == 1 ]]; then
    accept "$@"
    exit 0
fi

moved=0
for part in exit err out; do
    if [[ $part == out && ! -f $out_file ]]; then
        echo "$out_file is missing; ACCEPT=1 writes it"
        exit 1
    fi
    expected $part >"$scratch/expected"
    if ! diff -u --label "$2.$part (expected)" --label "$2.$part (now)" \
        "$scratch/expected" "$scratch/$part"; then
        moved=1
    fi
done
exit $moved
