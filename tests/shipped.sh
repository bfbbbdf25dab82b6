#!/usr/bin/env bash
# Tests that every device, model, profile and cluster that comes with nncost is valid, and that nncost can list and show
# each of them. tests/baseline.json records estimates with these files.
#   usage: shipped.sh NNCOST ROOT
set -euo pipefail

nncost=$(realpath "$1")
cd "$2"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
clean() { env -i PATH="$PATH" LC_ALL=C HOME="$home" NNCOST_PATH="$PWD" "$nncost" "$@"; }

clean validate hw/*.json models/*.json software/*.json clusters/*.json prices/*.json grid/*.json foreign/*.json | grep -vx '.*: ok' && exit 1
# A file of a user needs no sources, but each shipped file needs sources.
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
        # the ops of a graph are only in the file, and 'nncost show' does not print them
        ! grep -q '"family": "graph"' "$file" || continue
        clean show "$id" --format json >"$home/$id.json"
        # For the id of a model, nncost predicts by default the operators of the library that runs the model. For a
        # model file, nncost predicts no operators of a library. With --implementation none, the estimates of the id and
        # of the model file must be equal.
        [[ $(clean estimate "$id" a100 --implementation none --format json) == \
           "$(clean estimate "$home/$id.json" a100 --implementation none --format json)" ]] ||
            { echo "$file: shown as JSON it is another model"; exit 1; }
    done
done
echo "$(clean list devices --format csv | wc -l) devices and more, listed, shown and valid"
# Names of GPUs as drivers print them, and as people write them.
while IFS='|' read -r name id; do
    if ! clean show "$name" >"$home/shown" 2>&1 || ! grep -q "/hw/$id.json\$" "$home/shown"; then
        echo "$name: not $id"
        exit 1
    fi
done <<'END'
NVIDIA GeForce RTX 4090|rtx-4090
NVIDIA GeForce RTX 4090 Laptop GPU|rtx-4090-laptop
rtx 3080 ti|rtx-3080-ti
RTX3060|rtx-3060
4060ti|rtx-4060-ti-8gb
GTX 1080 Ti|gtx-1080-ti
NVIDIA RTX A4000|rtx-a4000
NVIDIA RTX 4000 Ada Generation|rtx-4000-ada
NVIDIA RTX 6000 Ada Generation|rtx-6000-ada
Quadro RTX 8000|quadro-rtx-8000
Tesla P40|p40
NVIDIA A100-SXM4-80GB|a100-sxm4-80gb
NVIDIA H100 80GB HBM3|h100-sxm5-80gb
NVIDIA GB10|dgx-spark
AMD Radeon RX 7900 XTX|rx-7900-xtx
rx9070xt|rx-9070-xt
AMD Instinct MI210|mi210
Intel(R) Arc(TM) A770 Graphics|arc-a770
Intel Arc B580|arc-b580
Apple M3 Max|apple-m3-max
m1|apple-m1
Jetson AGX Orin|jetson-agx-orin-64gb
Apple M5|apple-m5
Apple M5 Max|apple-m5-max
AMD Radeon 8060S Graphics|ryzen-ai-max-395
NVIDIA Thor|jetson-agx-thor
Vera Rubin|vr200-nvl72
AMD Instinct MI455X|mi455x
Ascend910B3|ascend-910b3
Intel(R) Arc(TM) Pro B70 Graphics|arc-pro-b70
AMD Radeon RX 9070 GRE|rx-9070-gre
NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition|rtx-pro-6000-max-q
NVIDIA RTX PRO 5000 72GB Blackwell|rtx-pro-5000-72gb
NVIDIA RTX PRO 4000 Blackwell SFF Edition|rtx-pro-4000-sff
NVIDIA RTX PRO 2000 Blackwell Generation Laptop GPU|rtx-pro-2000-laptop
END
# Names of servers, and names that stand for several devices.
while IFS='|' read -r name meant; do
    { clean estimate gpt2 "$name" 2>&1 || true; } | grep -qF "\"$meant\"" || { echo "$name: not answered with $meant"; exit 1; }
done <<'END'
p5.48xlarge|h100-sxm5-80gb --devices 8
Standard_ND96isr_H200_v5|h200-sxm-141gb --devices 8
g2-standard-24|l4 --devices 2
v4-8|tpu-v4 --devices 4
inf2.48xlarge|inferentia2 --devices 12
8xH100|H100 --devices 8
rtx4090x2|rtx4090 --devices 2
cuda|.
h1000|h100
h100-80|h100-80gb
END
{ clean show a1000 2>&1 || true; } | grep -q "did you mean a100?" || { echo "a1000: not answered with a100"; exit 1; }
# A country is found by its name and by its codes.
for country in FR fra France; do
    clean run gpt2 h100 --tokens 1B --region "$country" | grep -q "(France, " || { echo "$country: not France"; exit 1; }
done
# Every device that has a price must exist in hw/.
python3 - <<'PY'
import json, pathlib
for file in sorted(pathlib.Path("prices").glob("*.json")):
    for price in json.loads(file.read_text())["prices"]:
        assert pathlib.Path(f"hw/{price['device']}.json").exists(), f"{file}: {price['device']} has no file"
PY
