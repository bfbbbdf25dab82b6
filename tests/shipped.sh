#!/usr/bin/env bash
# Every device, model, profile and cluster that comes with nncost is listed, shown and valid. Its figures
# are watched by tests/baseline.json.
#   usage: shipped.sh NNCOST ROOT
set -euo pipefail

nncost=$(realpath "$1")
cd "$2"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
clean() { env -i PATH="$PATH" LC_ALL=C HOME="$home" NNCOST_PATH="$PWD" "$nncost" "$@"; }

clean validate hw/*.json models/*.json software/*.json clusters/*.json prices/*.json grid/*.json foreign/*.json | grep -vx '.*: ok' && exit 1
# A user's own file needs none.
for file in hw/*.json models/*.json software/*.json clusters/*.json; do
    grep -q '"sources": {' "$file" || { echo "$file: no sources"; exit 1; }
done
for kind in devices:hw models:models software:software; do
    folder=${kind#*:}
    clean list "${kind%:*}" --format csv >"$home/list"
    for file in "$folder"/*.json; do
        id=$(basename "$file" .json)
        grep -q "^$id," "$home/list" || { echo "$file: not listed"; exit 1; }
        clean show "$id" >"$home/shown"
        grep -q " $PWD/$file\$" "$home/shown" || { echo "$file: not shown"; exit 1; }
        [[ $folder == models ]] || continue
        ! grep -q '"family": "graph"' "$file" || continue # its ops stand in the file alone
        clean show "$id" --format json >"$home/$id.json"
        [[ $(clean estimate "$id" a100 --format json) == "$(clean estimate "$home/$id.json" a100 --format json)" ]] ||
            { echo "$file: shown as JSON it is another model"; exit 1; }
    done
done
echo "$(clean list devices --format csv | wc -l) devices and more, listed, shown and valid"
# Every price is one of a device that there is.
python3 - <<'PY'
import json, pathlib
for file in sorted(pathlib.Path("prices").glob("*.json")):
    for price in json.loads(file.read_text())["prices"]:
        assert pathlib.Path(f"hw/{price['device']}.json").exists(), f"{file}: {price['device']} has no file"
PY
