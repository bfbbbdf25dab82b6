#!/usr/bin/env bash
# Installs a build into a new folder, builds the installed examples by CMake and by pkg-config, and runs the examples
# and the installed program.
#   usage: run.sh BUILD_DIR        (CC and CFLAGS as the build had them)
set -euo pipefail

build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
export HOME=$work XDG_CONFIG_HOME=$work/config
unset NNCOST_PATH DESTDIR
cmake --install "$build" --prefix "$prefix" >/dev/null

# Moves the installed files to another folder, because they must work in any folder.
mv "$prefix" "$work/moved"
prefix=$work/moved
cp -r "$prefix/share/doc/nncost/examples" "$work/examples"
# If the library was built with a sanitizer, programs must be built with the same sanitizer.
export CXXFLAGS=${CFLAGS:-}

quietly()
{
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

# Tests a built program: its first line of output, and that it uses the installed library.
try() # folder
{
    "$1/train_step" "$prefix/share/nncost" >"$work/output"
    head -1 "$work/output"
    grep -q '"schema": "nncost.estimate/1"' "$work/output"
    "$1/faster_memory" "$prefix/share/nncost" | head -1
    if compgen -G "$prefix/lib/*/libnncost.so*" >/dev/null || compgen -G "$prefix/lib/libnncost.so*" >/dev/null; then
        # ldd writes to a file, because a grep that stops at its first match would close the pipe of ldd
        ldd "$1/train_step" >"$work/linked"
        grep -qE "libnncost\.so\.[0-9]+ => $prefix/" "$work/linked" ||
            { echo "not linked with the installed library:"; cat "$work/linked"; exit 1; }
    fi
}

echo "find_package(nncost)"
quietly cmake -S "$work/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/cmake"
try "$work/cmake"

echo "pkg-config nncost"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nncost.pc)")
export PKG_CONFIG_PATH
quietly make -C "$work/examples"
try "$work/examples"
[[ $(pkg-config --variable=datadir nncost) -ef $prefix/share/nncost ]]

echo "installed program"
cd "$work"
"$prefix/bin/nncost" --version
"$prefix/bin/nncost" estimate gpt2-xl a100 >/dev/null
for page in man "man files" "completion bash" "completion zsh" "completion fish" "schema plan"; do
    # shellcheck disable=SC2086 # words
    "$prefix/bin/nncost" docs $page >printed
    [[ -s printed ]]
done
# The program must read the installed data files, not those of the source tree. The output of the program goes to a
# file: in a pipe, grep stops at the first match and closes the pipe while the program still writes.
"$prefix/bin/nncost" show a100 --format json >shown
grep -qF "$prefix" shown ||
    { echo "the installed program does not read $prefix/share/nncost"; exit 1; }

# The test of the Python module is skipped with a sanitizer, because Python would need the sanitizer as well.
if [[ ${CFLAGS:-} != *-fsanitize* ]]; then
    echo "installed Python module"
    module=$(dirname "$(dirname "$(find "$prefix/lib" -path '*/nncost/__init__.py')")")
    ! command -v python3 >/dev/null || PYTHONPATH=$module python3 -B -c 'import nncost; print(nncost.estimate("gpt2", "a100").sentence); nncost.ops("gpt2", "a100")'
fi
