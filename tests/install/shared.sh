#!/usr/bin/env bash
# Builds the library as a shared library and runs the tests of run.sh with it.
#   usage: shared.sh ROOT BUILD_DIR        (CC, CFLAGS and PRESET as the build had them)
set -euo pipefail

root=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
# Uses the compiler flags of the tested build, so that ccache already has the objects.
cmake -S "$root" --preset "${PRESET:-dev}" -B "$build" -DBUILD_SHARED_LIBS=ON -DNNCOST_TESTS=OFF -DCMAKE_C_FLAGS="${CFLAGS:-}" >/dev/null
cmake --build "$build" -j2 --target nncost nncost_cli >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
library=$(find "$build" -name 'libnncost.so.*.*.*')
readelf -d "$library" | grep -E "SONAME.*\[libnncost\.so\.[0-9]+\]" ||
    { echo "$library has no soname"; exit 1; }
"$here/run.sh" "$build"
"$here/package.sh" "$build"
