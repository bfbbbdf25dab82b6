#!/usr/bin/env python3
"""Tests captured programs of transformers, peft, diffusers and timm. nncost must count the kernels, FLOPs, parameters
and kept bytes that were recorded. The model files of the same networks must agree with the captured programs in FLOPs,
parameters, kernels, kept bytes and time of attention.

    usage: library_captures.py PROGRAM ROOT

tools/lab/reference_captures.py wrote the files of tests/data/capture that have a library in their name; the member
"source" of a file states the versions.
"""
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])
DATA, CONFIGS = ROOT / "tests/data/capture", ROOT / "tests/published/h100/configs"
faults = []

# Each row has: the file; the number of operators of forward and of backward; the number of kernels minus the number of
# operators (on a GPU, backward of an attention has 3 kernels, and backward of a convolution has one kernel for each
# gradient and one for its bias); parameters; trained parameters; forward FLOPs; bytes kept for backward, as the
# recording counted them; and the largest allowed difference of kept bytes in the folded list.
FILES = [
    ("transformers-gpt2.bf16-sdpa", 239, 485, 2 * 12, 124439808, 124439808, 583296614400, 1309859790, 0.001),
    ("transformers-bert-base.bf16-sdpa", 183, 409, 2 * 12, 109514298, 109514298, 242488442880, 392843266, 0.001),
    ("transformers-whisper-small.bf16-sdpa", 501, 937, 2 * 36 + 1 + 2, 241734912, 240582912, 1086551556096, 1458183362, 0.01),
    ("transformers-t5-base.bf16", 1344, 2160, 0, 222903552, 222903552, 291671900160, 1494963210, 0.015),
    ("transformers-llama2-7b-lora-all.bf16-base", 3134, 4437, 0, 6778392576, 39976960, 58850715893760, 95862693876, 0.06),
    ("diffusers-dit-xl-2", 117, 145, 2 * 2 + 1, 56078240, 56078240, None, 101973056, 0.015),
    ("timm-vit_base_patch16_224", 127, 252, 2 * 12 + 1, 86429416, 86429416, None, 20395620, 0.001),
]
# Each row has: the file; a model and options that give the same step; the largest allowed difference in the number of
# kernels (None: not compared, because the recording has dropout or copies of gradients); the largest allowed difference
# in kept bytes.
FAMILIES = [
    ("transformers-gpt2.bf16-sdpa", CONFIGS / "gpt2.json", ["--micro-batch", "2", "--policy", "bf16-pure"], None, None),
    ("transformers-bert-base.bf16-sdpa", CONFIGS / "bert-base.json", ["--micro-batch", "2", "--seq-len", "512", "--policy", "bf16-pure"], None, None),
    ("diffusers-dit-xl-2", CONFIGS / "dit-xl-2.json", ["--micro-batch", "2", "--policy", "fp32", "--precision", "fp32", "--set", "layers=2"], 0.07, 0.02),
    ("timm-vit_base_patch16_224", "vit_base_patch16_224", ["--micro-batch", "2", "--image", "64", "--policy", "fp32", "--precision", "fp32"], 0.03, 0.02),
]


# Memory peaks from torch.distributed._tools.mem_tracker.MemTracker of PyTorch 2.6 (tools/lab/mem_tracker.py). A peak
# includes parameters, gradients, states, activations and temporary tensors of a step with AdamW in one kernel. nncost
# adds the workspace of cuBLAS, and rounds tensors up to 512 bytes.
PEAKS = [("resnet-50", 541471156), ("torchvision-mobilenet_v3_large.torch-2.6", 166023216), ("torchvision-vit_b_16.torch-2.6", 1386344208)]
WORKSPACE = 67108864


def check(what, found, expected, share=0.0):
    if abs(found - expected) > share * expected:
        faults.append(f"{what}: expected {expected}, found {found}")


def run(command, model, *options):
    out = subprocess.run([PROGRAM, command, model, "h100", *options, "--clip-gradients=off"], capture_output=True, text=True,
                         env={**os.environ, "NNCOST_PATH": str(ROOT)}, check=False)
    if out.returncode not in (0, 1):
        raise SystemExit(f"{model}: {out.stderr}")
    return out.stdout


def attention_s(model, *options):
    """Returns the seconds of fused attention, forward and backward"""
    rows = [r for r in csv.DictReader(run("ops", model, *options, "--format", "csv").splitlines()) if r["kind"] == "flash_attention"]
    return sum(float(r["repeat"]) * float(r["time_s"]) for r in rows)


def update_kernels(kernels, model, *options):
    """Returns the number of kernels of the update: AdamW has 8 operations over lists of tensors, SGD has one"""
    if "--optimizer-kernels" in options:
        return 0
    plain = json.loads(run("estimate", model, *options, "--optimizer", "sgd", "--optimizer-kernels", "foreach", "--format", "json"))
    lists = json.loads(run("estimate", model, *options, "--optimizer-kernels", "foreach", "--format", "json"))["step"]["kernels"]
    launches = (lists - plain["step"]["kernels"]) / 7
    return kernels - plain["step"]["kernels"] + launches


def told(model, *options):
    step = json.loads(run("estimate", model, *options, "--format", "json"))
    return {"params": step["model"]["params"], "trained": step["model"].get("trained_params"), "flops": step["work"]["forward_flops"],
            "kernels": step["step"]["kernels"] - update_kernels(step["step"]["kernels"], model, *options), "kept": step["memory"]["activation_bytes"],
            "peak": step["memory"]["peak_allocated_bytes"],
            "parts": sum(step["memory"][f"{part}_bytes"] for part in ("weight", "gradient", "optimizer", "activation"))}


for name, forward, backward, more, params, trained, flops, kept, near in FILES:
    source = json.loads((DATA / f"{name}.json").read_text())["source"]
    check(f"{name}: forward", source["recorded"]["forward"], forward)
    check(f"{name}: backward", source["recorded"]["backward"], backward)
    found = told(DATA / f"{name}.json")
    check(f"{name}: kernels", found["kernels"], forward + backward + more)
    check(f"{name}: parameters", found["params"], params)
    check(f"{name}: trained", found["trained"] or params, trained)
    check(f"{name}: kept bytes", found["kept"], kept, near)
    check(f"{name}: peak within its parts and 3 GB", found["peak"] > found["parts"] + 3e9, False)
    if flops is not None:
        check(f"{name}: forward FLOPs", found["flops"], flops, 1e-11)
for name, model, options, kernels, kept in FAMILIES:
    recorded, family = told(DATA / f"{name}.json"), told(model, *options)
    check(f"{name}: parameters of the family", family["params"], recorded["params"])
    check(f"{name}: forward FLOPs of the family", family["flops"], recorded["flops"])
    check(f"{name}: seconds of attention", attention_s(DATA / f"{name}.json"), attention_s(model, *options), 0.001)
    if kernels is not None:
        check(f"{name}: kernels of the family", family["kernels"], recorded["kernels"], kernels)
        check(f"{name}: kept bytes of the family", family["kept"], recorded["kept"], kept)
for name, peak in PEAKS:
    check(f"{name}: peak of MemTracker", told(DATA / f"{name}.json", "--optimizer-kernels", "fused")["peak"] - WORKSPACE, peak, 0.01)
print(*faults, sep="\n")
sys.exit(1 if faults else 0)
