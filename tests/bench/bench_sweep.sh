#!/usr/bin/env bash
# Rows per second of sweeps, with no data but the program's own.
#   usage: bench_sweep.sh BENCH_SWEEP NNCOST
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env -i PATH="$PATH" LC_ALL=C HOME="$work" XDG_CONFIG_HOME="$work" "$1" "$2" "$work"
