#!/usr/bin/env bash
# Measures three durations for captured PyTorch steps: reading the file, estimating the step after that, and running the
# whole command.
#   usage: bench_capture.sh BENCH_CAPTURE BENCH_COLD NNCOST [RUNS]
# If PyTorch and torchvision are installed (tools/setup capture), also captures MaxViT: 1,935 operators, in layers of
# mostly different kinds. The files of tests/data/capture with the most operators are T5 (3,513 operators; equal layers
# are folded) and Whisper (1,447 operators).
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
