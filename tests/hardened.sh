#!/usr/bin/env bash
# The optimised program is built as distributions build theirs: independent of its place, its tables read-only once it
# runs, stacks and string calls checked, jumps marked where the processor knows that.
#   usage: hardened.sh NNCOST
set -euo pipefail
export LC_ALL=C
program=$1
flags=$(readelf -Wd "$program")
headers=$(readelf -Wl "$program")
names=$(nm -D --undefined-only "$program")

need() # text pattern what
{
    grep -Eq "$2" <<<"$1" || { echo "$program: $3"; exit 1; }
}
need "$flags" 'PIE' "is not independent of its place"
need "$flags" 'NOW' "binds its calls late"
need "$headers" 'GNU_RELRO' "has no read-only relocations"
need "$names" '__stack_chk_fail' "has no stack protector"
need "$names" '__[a-z]+_chk' "has no _FORTIFY_SOURCE"
if [[ $(uname -m) == x86_64 ]]; then
    need "$(objdump -d --no-show-raw-insn "$program")" 'endbr64' "has no marked jumps"
    # What the loader reads. Indirect branch tracking needs marked start-up code of the system's C library, too.
    need "$(readelf -nW "$program")" 'SHSTK' "does not ask for a shadow stack"
fi
! grep -E 'RPATH|RUNPATH' <<<"$flags"
