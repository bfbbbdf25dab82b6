#!/usr/bin/env bash
# The same with a shared library, which is built for it.
#   usage: shared.sh ROOT BUILD_DIR        (CC: the compiler)
set -euo pipefail

root=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
# Flags of the debug build, so that ccache compiles once.
cmake -S "$root" --preset dev -B "$build" -DBUILD_SHARED_LIBS=ON -DNNCOST_TESTS=OFF -DCMAKE_C_FLAGS="${CFLAGS:-}" >/dev/null
cmake --build "$build" --target nncost nncost_cli >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
library=$(find "$build" -name 'libnncost.so.*.*.*')
readelf -d "$library" | grep -E "SONAME.*\[libnncost\.so\.[0-9]+\]" ||
    { echo "$library has no soname"; exit 1; }
"$here/run.sh" "$build"
"$here/package.sh" "$build"
