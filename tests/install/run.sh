#!/usr/bin/env bash
# Installs a build into a fresh prefix, builds a consumer against it through CMake and through
# pkg-config, and runs both and the installed program.
#   usage: run.sh BUILD_DIR        (CC and CFLAGS as the build had them)
set -euo pipefail

build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
export HOME=$work XDG_CONFIG_HOME=$work/config
unset NNCOST_PATH DESTDIR
cmake --install "$build" --prefix "$prefix" >/dev/null

# Moved once more: nothing may depend on where it was first put.
mv "$prefix" "$work/moved"
prefix=$work/moved

echo "find_package(nncost)"
cmake -S "$here" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" ||
    { cat "$work/log"; exit 1; }
cmake --build "$work/consumer" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/consumer/consumer"

echo "pkg-config nncost"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nncost.pc)")
export PKG_CONFIG_PATH
read -ra cflags <<<"${CFLAGS:-} $(pkg-config --cflags nncost)"
read -ra libs <<<"$(pkg-config --libs nncost) -Wl,-rpath,$(pkg-config --variable=libdir nncost)"
"${CC:-cc}" "${cflags[@]}" -DDATA_DIR="\"$(pkg-config --variable=datadir nncost)\"" \
    "$here/consumer.c" -o "$work/by-pkg-config" "${libs[@]}"
"$work/by-pkg-config"

echo "installed program"
cd "$work"
"$prefix/bin/nncost" --version
"$prefix/bin/nncost" estimate gpt2-xl a100 >/dev/null
test -f "$(find "$prefix" -path "*/lab/words.json")"
# The data it reads are the installed ones, not those of the source tree.
# Into a file: a grep that stops at the first match would close a pipe under the program.
"$prefix/bin/nncost" show a100 --format json >shown
grep -qF "$prefix" shown ||
    { echo "the installed program does not read $prefix/share/nncost"; exit 1; }
