#!/usr/bin/env bash
# Measures a cold start: the time of one run of the program, including the creation of its process.
#   usage: bench_cold.sh BENCH_COLD NNCOST [RUNS]      NNCOST: the program of a build folder, or an installed one; the
#                                                      static program of tools/release needs NNCOST_PATH=FOLDER with the
#                                                      data
set -euo pipefail

data=()
[[ -z ${NNCOST_PATH:-} ]] || data=("NNCOST_PATH=$NNCOST_PATH")
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
env -i "${data[@]}" PATH="$PATH" LC_ALL=C HOME="$empty" XDG_CONFIG_HOME="$empty" \
    "$1" "${3:-200}" "$2" estimate gpt2-xl a100
env -i "${data[@]}" PATH="$PATH" LC_ALL=C HOME="$empty" XDG_CONFIG_HOME="$empty" \
    "$1" "${3:-200}" "$2" serve llama3-8b h100 --concurrency 64
