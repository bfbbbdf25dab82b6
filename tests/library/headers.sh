#!/usr/bin/env bash
# Tests that every public header compiles alone in C and C++, for programs with the shared library and for statically
# linked programs. Programs with the shared library must not see the declarations for static linking.
#   usage: headers.sh ROOT         (CC and CXX: the compilers)
set -euo pipefail

root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra cc <<<"${CC:-cc} -std=c11"
read -ra cxx <<<"${CXX:-c++}"
warn=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I "$root/include")
if ! command -v "${cxx[0]}" >/dev/null; then
    echo "no C++ compiler, headers are tried in C alone"
    cxx=()
fi

compile() # what command...
{
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || { echo "$what:"; cat "$work/log"; exit 1; }
}

count=0
for header in "$root"/include/nncost/*.h; do
    name=nncost/$(basename "$header")
    # Includes the header twice; the include guard must make the second inclusion empty.
    printf '#include <%s>\n#include <%s>\ntypedef int unused;\n' "$name" "$name" >"$work/one.c"
    cp "$work/one.c" "$work/one.cpp"
    for static in "" -DNNC_STATIC_LINKING_ONLY; do
        compile "$name in C $static" "${cc[@]}" "${warn[@]}" $static "$work/one.c"
        for standard in ${cxx:+c++11 c++17}; do
            compile "$name in $standard $static" "${cxx[@]}" -std="$standard" "${warn[@]}" $static \
                "$work/one.cpp"
        done
    done
    count=$((count + 1))
done
((count > 10)) || { echo "only $count headers found"; exit 1; }

# Members of opaque structs must not be visible.
for member in nnc_device:mem_bytes nnc_model:family nnc_software:launch_s nnc_search_result:space; do
    printf '#include <nncost/nncost.h>\nint f(const %s *s) { return s->%s != 0; }\n' \
        "${member%:*}" "${member#*:}" >"$work/opaque.c"
    compile "${member%:*} with its members" "${cc[@]}" "${warn[@]}" -DNNC_STATIC_LINKING_ONLY \
        "$work/opaque.c"
    if "${cc[@]}" "${warn[@]}" "$work/opaque.c" >"$work/log" 2>&1; then
        echo "${member%:*}: its members are seen by programs that use the shared library"
        exit 1
    fi
done
echo "$count headers"
