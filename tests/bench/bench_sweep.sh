#!/usr/bin/env bash
# Measures how many rows per second a sweep computes, using only the shipped data.
#   usage: bench_sweep.sh BENCH_SWEEP NNCOST
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env -i PATH="$PATH" LC_ALL=C HOME="$work" XDG_CONFIG_HOME="$work" "$1" "$2" "$work"
