#!/usr/bin/env bash
# Tests that programs compiled with headers of an older or newer release run with this library. In the changed headers,
# structs lack their last member or have one member more.
#   usage: releases.sh SHARED_LIBRARY ROOT          (CC and CFLAGS as the build had them)
set -euo pipefail

library=$1 root=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config
unset NNCOST_PATH
read -ra flags <<<"${CFLAGS:-}"

# Removes the last member of the structs, or adds one member.
edit() # older|newer
{
    mkdir -p "$work/$1"
    cp -r "$root/include/nncost" "$work/$1/"
    python3 - "$1" "$work/$1/nncost" <<'END'
import pathlib, re, sys
kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
for header, struct in (("plan", "nnc_plan"), ("estimate", "nnc_result"), ("estimate", "nnc_memory"),
                       ("search", "nnc_search")):
    path = folder / f"{header}.h"
    before, name, after = path.read_text().partition(f"\n}} {struct};\n")
    assert name, struct
    if kind == "older":
        lines = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), before, flags=re.S).split("\n")
        last = max(i for i, line in enumerate(lines) if line.rstrip().endswith(";"))
        assert not lines[last].startswith("    }"), lines[last]
        before = "\n".join(before.split("\n")[:last])
    else:
        before += "\n    double later, later_still;"
    path.write_text(before + name + after)
END
}

edit older
edit newer
mkdir "$work/same"
cp -r "$root/include/nncost" "$work/same/"
for release in same older newer; do
    "${CC:-cc}" -std=c11 -Wall -Wextra "${flags[@]}" -I "$work/$release" "$here/releases.c" -o "$work/$release/program" \
        "$library" "-Wl,-rpath,$(dirname "$library")"
    "$work/$release/program" "$root/tests/toy" >"$work/$release/output" ||
        { echo "the program of a release with $release structs failed"; exit 1; }
done
grep -q "guard 5afe5afe" "$work/same/output"
for release in older newer; do
    diff "$work/same/output" "$work/$release/output" ||
        { echo "the program of a release with $release structs says something else"; exit 1; }
done
cat "$work/same/output"
