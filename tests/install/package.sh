#!/usr/bin/env bash
# Installs the Debian package of a build with a shared library below a temporary root. Tests the list of files in the
# package, the program, the Python module, and C and C++ programs that use the library. Removing the package must leave
# no file. The script also tests the list of files that 'cmake --install' installs. The uninstall target must remove all
# files that 'cmake --install' installs.
#   usage: package.sh BUILD_DIR
set -euo pipefail

build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config
unset NNCOST_PATH DESTDIR

(cd "$work" && cpack -G DEB --config "$build/CPackConfig.cmake" >log 2>&1) || { cat "$work/log"; exit 1; }
deb=$(ls "$work"/nncost_*.deb)
for package in libcjson1 libsqlite3-0 libnlopt0; do # the program loads these libraries by name
    dpkg-deb --field "$deb" Depends | grep -q "$package" || { echo "does not depend on $package"; exit 1; }
done
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info" && touch "$root/var/lib/dpkg/status"
packages() { dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --log=/dev/null "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
packages -i "$deb"
for file in bin/nncost share/nncost/hw/h100-sxm5-80gb.json share/nncost/foreign/llama.json share/nncost/foreign/graphs/vision.json share/man/man1/nncost.1 share/man/man5/nncost-files.5 share/doc/nncost/copyright \
    share/bash-completion/completions/nncost share/zsh/site-functions/_nncost share/fish/vendor_completions.d/nncost.fish \
    include/nncost/nncost.h lib/python3/dist-packages/nncost/{__init__,capture}.py; do
    [[ -s $root/usr/$file ]] || { echo "$file is missing"; exit 1; }
done
library=$(dirname "$(find "$root/usr/lib" -name 'libnncost.so')")
LD_LIBRARY_PATH=$library "$root/usr/bin/nncost" estimate gpt2-xl a100 --micro-batch 4 --format json >"$work/a.json"

python3 -I - "$root/usr/lib/python3/dist-packages" "$work/a.json" <<'PY'
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import nncost
import nncost.capture # importing the module needs no PyTorch
told = nncost.estimate("gpt2-xl", "a100", micro_batch=4)
said = json.load(open(sys.argv[2]))
# only the program prints the parts accuracy, open_facts and trust, because only the program has the errors of measured
# rows
for part in ("accuracy", "open_facts", "trust"): said.pop(part, None)
assert told == said, "Python says something else than the program"
slow = nncost.estimate("gpt2-xl", "A100", micro_batch="4", set={"device.mem_bytes_per_s": "1TB/s"})
assert slow["step"]["step_s"] > told["step"]["step_s"]
assert nncost.estimate("gpt2-xl", "a100", software="torch-eager")["plan"]["software"] == "torch-eager"
assert "h100-sxm5-80gb" in nncost.devices() and "llama3-8b" in nncost.models() and nncost.software()
for wrong in ({"micro_bach": 4}, {"micro_batch": 0}, {"model": "gpt9"}):
    try:
        nncost.estimate(**{"model": "gpt2-xl", "device": "a100", **wrong})
        raise SystemExit(f"{wrong} was taken")
    except nncost.Error as error:
        print(error)
PY

packages --purge nncost
left=$(find "$root/usr" ! -type d 2>/dev/null || true)
[[ -z $left ]] || { echo "left behind: $left"; exit 1; }

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake --build "$build" --target uninstall >/dev/null
[[ ! -e $work/prefix ]] || { echo "not uninstalled:"; find "$work/prefix" | head; exit 1; }
