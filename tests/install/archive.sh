#!/usr/bin/env bash
# Unpacks the archive of tools/release in a temporary folder and tests it. The program must be linked only with static
# libraries and must print the same output as the built program. The Python module must find its library. The examples
# of docs/ci must install and use the archive. docs/ci/Containerfile must build a container image from the archive, and
# the tasks of tests/jobs.py must succeed in this image.
#   usage: archive.sh ROOT BUILD_DIR NNCOST        (CC, CFLAGS and PRESET as the build had them)
set -euo pipefail

root=$(realpath "$1") build=$(realpath -m "$2") nncost=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config
unset NNCOST_PATH DESTDIR

"$root/tools/source" cjson "$root/build/source/cjson" cJSON.h cJSON.c >"$work/log" 2>&1 || { echo "skipped: the source of cJSON cannot be fetched"; exit 77; }
# Uses the compiler flags of the tested build, so that ccache already has the objects.
options=(-DNNCOST_FOR_TESTS=ON)
[[ ${PRESET:-dev} != dev ]] ||
    options=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-g -Og" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DNNCOST_LTO=OFF)
NNCOST_RELEASE=archive "$root/tools/release" "$build" "${options[@]}" -DCMAKE_C_FLAGS="${CFLAGS:-}" >"$work/log" || { cat "$work/log"; exit 1; }
archive=$(ls "$build"/nncost-*.tar.gz)
(cd "$build" && sha256sum --check --quiet "$archive.sha256")

mkdir "$work/any where"
tar --extract --file "$archive" --directory "$work/any where" --strip-components 1
cd "$work/any where"
program=$PWD/bin/nncost
readelf --program-headers --dynamic "$program" >"$work/linked"
! grep -E 'INTERP|NEEDED' "$work/linked" || { echo "the program needs shared libraries"; exit 1; }
"$nncost" estimate llama3-8b h100 --devices 8 --zero 3 --format json >"$work/expected"
"$program" estimate llama3-8b h100 --devices 8 --zero 3 --format json >"$work/found"
cmp "$work/expected" "$work/found"
"$program" show h100 --format json >"$work/shown" # uses the data files next to the program
grep -qF "$PWD/share/nncost/hw" "$work/shown"
"$program" show "$root/tests/data/foreign/llama2-7b.json" >"$work/shown" # uses the architectures next to the program
# needs the YAML reader
"$program" estimate "$root/tests/data/interop/axolotl--llama-3--fft-8b.yaml" h100 --format csv >"$work/found" || (($? == 1))
"$nncost" estimate "$root/tests/data/interop/axolotl--llama-3--fft-8b.yaml" h100 --format csv >"$work/expected-csv" || (($? == 1))
cmp "$work/expected-csv" "$work/found"
"$program" sweep gpt2 a100 --micro-batch 1,2 --db "$work/rows.db" # needs SQLite, which the program contains

# A second archive of the same build must have the same bytes.
cp "$archive" "$work/first"
(cd "$build" && SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) cpack -G TGZ --config CPackConfig.cmake >"$work/log" 2>&1)
cmp "$work/first" "$archive"
"$root/tools/sbom" "$build" "$work/parts.json"
python3 -c 'import json, sys; parts = json.load(open(sys.argv[1])); assert parts["spdxVersion"] == "SPDX-2.3"
assert all(part["versionInfo"] != "NOASSERTION" for part in parts["packages"]), parts' "$work/parts.json"

# The shared library of the archive may depend only on libraries that every machine has.
python3 -I -B - "$PWD/lib/python3/dist-packages" "$work/expected" <<'PY'
import json, sys
sys.path.insert(0, sys.argv[1])
import nncost
said = json.load(open(sys.argv[2]))
# only the program prints the parts accuracy, open_facts and trust, because only the program has the errors of measured
# rows
for part in ("accuracy", "open_facts", "trust"): said.pop(part, None)
assert nncost.estimate("llama3-8b", "h100", devices=8, zero=3) == said
PY
readelf --dynamic lib/libnncost.so >"$work/linked"
! grep 'NEEDED.*cjson' "$work/linked" || { echo "the library needs cJSON"; exit 1; }

"$root/tests/ci_examples.sh" "$archive" "$root"

command -v buildah >/dev/null || { echo "no buildah: the image is not made"; exit 0; }
containers() { command buildah --storage-driver vfs --root "$work/root" --runroot "$work/run" "$@"; }
name=$(basename "$archive" .tar.gz)
grep -q "^ARG ARCHIVE=$name\$" "$root/docs/ci/Containerfile" || { echo "Containerfile is not for $name"; exit 1; }
containers build --isolation chroot --file "$root/docs/ci/Containerfile" --tag nncost "$build" >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
made=$(containers from --quiet nncost)
folder=$(containers mount "$made")
[[ $(find "$folder" -path '*/bin/*' -type f) == "$folder/usr/bin/nncost" ]] || { echo "more than the program:"; ls -R "$folder"; exit 1; }
containers run --isolation chroot "$made" -- /usr/bin/nncost estimate llama3-8b h100 --devices 8 --zero 3 --format json >"$work/found"
cmp "$work/expected" "$work/found"
containers inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}}' nncost >"$work/log"
grep -qx '65534:65534 \[/usr/bin/nncost\]' "$work/log" || { cat "$work/log"; exit 1; }
# Runs the tasks of tests/jobs.py on the files of the container image, without 'buildah run': forty calls of 'buildah
# run' would take longer than the rest of this test.
mkdir -p "$folder/work" "$folder/proc"
cat >"$work/inside" <<SCRIPT
#!/bin/bash
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin COLUMNS=100 LC_ALL=C HOME=/work unshare --mount bash -c \
    'mount --bind "\$PWD" "\$0/work" && mount --bind /proc "\$0/proc" && exec unshare --root="\$0" --wd=/work /usr/bin/nncost "\$@"' "$folder" "\$@"
SCRIPT
chmod +x "$work/inside"
"$root/tests/jobs.py" "$work/inside" "$root"
containers umount "$made" >/dev/null
containers rm "$made" >/dev/null
echo "the archive, its program, the CI examples and an image work"
