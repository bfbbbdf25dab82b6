#!/usr/bin/env bash
# Measures recorded PyTorch steps: time to read a file, time of an estimate after that, and time of the whole command.
#   usage: bench_capture.sh BENCH_CAPTURE BENCH_COLD NNCOST [RUNS]
# With PyTorch and torchvision (tools/setup capture) it also records MaxViT, 1,935 operators whose layers are mostly of
# different kinds. The files of tests/data/capture with most operators are T5 (3,513, equal layers folded) and Whisper (1,447).
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=("$root"/tests/data/capture/*.json)
cold=("$root/tests/data/capture/transformers-t5-base.bf16.json" "$root/tests/data/capture/transformers-whisper-small.bf16-sdpa.json")
if /usr/bin/python3 -c 'import torch, torchvision' 2>/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/python" /usr/bin/python3 -m nncost.capture -o "$work/maxvit_t.json" \
        --network torchvision:maxvit_t --batch 2 >/dev/null
    files+=("$work/maxvit_t.json")
    cold+=("$work/maxvit_t.json")
fi
"$1" "$root" h100 "${files[@]}"
for file in "${cold[@]}"; do
    echo "nncost estimate $(basename "$file") h100:"
    env -i PATH="$PATH" LC_ALL=C HOME="$work" XDG_CONFIG_HOME="$work" "$2" "${4:-100}" "$3" estimate "$file" h100
done
