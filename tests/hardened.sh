#!/usr/bin/env bash
# Tests that the optimised program is hardened as programs of Linux distributions are. The program must have
# position-independent code, relocation tables that are read-only after start-up, stack protection, checked string
# functions, and marked jump targets if the processor supports them.
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
    # Reads the properties of the ELF file. An ELF file has indirect branch tracking only if the start-up code of the
    # system's C library has these marks, too.
    need "$(readelf -nW "$program")" 'SHSTK' "does not ask for a shadow stack"
fi
! grep -E 'RPATH|RUNPATH' <<<"$flags"
