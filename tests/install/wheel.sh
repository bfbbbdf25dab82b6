#!/usr/bin/env bash
# Tests the Python wheel of a build. Two wheels of the same build must have the same bytes, and the wheel must have the
# right files. The wheel is installed in a virtual environment without a network; then the Python module and the command
# must work without files of nncost outside the wheel.
#   usage: wheel.sh ROOT BUILD_DIR
set -euo pipefail

root=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config SOURCE_DATE_EPOCH=1700000000
unset NNCOST_PATH NNCOST_DATA NNCOST_LIBRARY NNCOST_PROGRAM PYTHONPATH DESTDIR

"$root/tools/wheel" "$build" "$work/a" >/dev/null
wheel=$("$root/tools/wheel" "$build" "$work/b")
cmp "$work"/a/*.whl "$wheel"
[[ $wheel =~ -py3-none-(manylinux_2_[0-9]+|linux)_[a-z0-9_]+\.whl$ ]] || { echo "the name is $wheel"; exit 1; }

# If Python has no pip, unpacks the wheel into the same folders as pip.
python3 -I -m venv "$work/venv" >/dev/null 2>&1 || python3 -I -m venv --without-pip "$work/venv"
if [[ -x $work/venv/bin/pip ]]; then
    "$work/venv/bin/pip" install --quiet --no-index --no-deps --disable-pip-version-check "$wheel"
    "$work/venv/bin/nncost" --version
fi
python3 -I - "$wheel" "$work/unpacked" <<'PY'
import base64, csv, hashlib, io, os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    names = archive.namelist()
    rows = list(csv.reader(io.StringIO(archive.read(next(n for n in names if n.endswith("/RECORD"))).decode())))
    assert [row[0] for row in rows] == names
    for name, digest, size in rows[:-1]:
        data = archive.read(name)
        assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), name
        assert int(size) == len(data), name
    assert "nncost/py.typed" in names and "nncost/share/nncost/hw/h100-sxm5-80gb.json" in names
    archive.extractall(sys.argv[2])
os.chmod(sys.argv[2] + "/nncost/bin/nncost", 0o755)
PY
for python in "$work/venv/bin/python" "env PYTHONPATH=$work/unpacked python3"; do
    [[ $python != *venv* || -x $work/venv/bin/pip ]] || continue
    # shellcheck disable=SC2086 # words
    (cd "$work" && $python -B -c '
import os, nncost
folder = os.path.dirname(nncost.__file__)
assert nncost._find_library().startswith(folder) and nncost._find_program().startswith(folder)
print(nncost.estimate("gpt2", "a100").sentence)
assert nncost.ops("gpt2", "a100", top=1)["name"]
assert nncost.command("show", "a100").file.startswith(folder)')
done
