#!/usr/bin/env python3
"""Tests the messages with which random command lines are refused.

Each command line has a model, a device and a few options with random values. If a command line is refused, the message
must be one line. The message must name an option of the command line, or an option that an option of the command line
needs. If the message says which values are expected ("expected at most 8", "expected 1 or 5"), the same command line
with such a value must not be refused for the same reason.

    usage: refusals.py NNCOST ROOT [COUNT]      seed fixed [400 command lines]
"""
import os
import random
import re
import shlex
import subprocess
import sys

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 400
os.environ["NNCOST_PATH"] = root
seed = random.Random(28)
MODELS = ["llama3-8b", "gpt2", "gpt2-xl", "mixtral-8x7b", "deepseek-v2-lite", "sd1-unet", "resnet-50", "vit-b-16", "bert-large",
          "t5-base", "jamba-v0.1"]
NUMBERS = ["0", "1", "2", "3", "4", "5", "7", "8", "12", "16", "64", "1000"]
OPTIONS = {
    "estimate": {
        **{name: NUMBERS for name in ("--tensor", "--pipeline", "--context", "--expert", "--data", "--devices", "--micro-batch",
                                      "--micro-batches",
                                      "--global-batch", "--virtual-stages", "--shard", "--recompute-layers", "--recompute-every",
                                      "--train-layers",
                                      "--adapter-rank", "--first-stage-layers", "--seq-len", "--image", "--devices-per-node",
                                      "--train-from")},
        "--zero": ["1", "2", "3"], "--schedule": ["gpipe", "interleaved", "zb-h1", "zb-v", "dualpipe"],
        "--offload": ["optimizer", "activations", "weights"],
        "--activations": ["korthikanti"], "--flops-convention": ["6nd", "causal"], "--policy": ["fp32", "fp8", "bf16-pure", "amp"],
        "--precision": ["fp32", "fp8", "fp4", "int8", "fp64"], "--recompute": ["full", "moe", "mla_up_proj", "norm"],
        "--context-kind": ["ulysses"],
        "--attention": ["unfused"], "--capacity-factor": ["0.5", "2"], "--imbalance": ["2"], "--optimizer": ["muon", "galore"],
        "--train": ["head", "attention"],
        "--frozen": ["nf4"], "--optimizer-rank": NUMBERS, "--overlap": ["0.5"], "--sequence-parallel": [""],
        "--whole-experts": [""], "--next-tokens": [""],
        "--reshard=off": [""], "--dora": [""], "--oft": [""], "--ends-as-layers": [""], "--fp8-inputs": [""]},
    "serve": {
        **{name: NUMBERS for name in ("--tensor", "--pipeline", "--attention-data", "--expert", "--data", "--devices", "--batch",
                                      "--input-len", "--output-len",
                                      "--concurrency", "--max-batch", "--block", "--chunk", "--draft-length", "--group-size")},
        "--weights": ["fp8", "int4", "mxfp4", "fp32"], "--kv-precision": ["fp8", "int8", "fp32"], "--precision": ["fp8", "fp32"],
        "--offline": [""],
        "--request-rate": ["0.5", "100"], "--disaggregate": ["1:1", "2:1"], "--acceptance": ["0.5"], "--preempt": [""],
        "--waves": ["1", "0.5"],
        "--wait-steps": ["2"], "--balance-steps": ["5"], "--prefix-hit": ["0.5"], "--overlap-expert": ["0.5"],
        "--imbalance": ["2"]},
}
NAMED = re.compile(r"--[a-z][a-z0-9-]*")


def run(words):
    done = subprocess.run([nncost, *words, "--no-defaults"], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


faults, refused, mended = [], 0, 0
for _ in range(count):
    command = seed.choice(list(OPTIONS))
    base = [command, seed.choice(MODELS), seed.choice(["h100", "v100", "tpu-v5p", "l4", "apple-m1"])]
    given = {name: seed.choice(OPTIONS[command][name]) for name in seed.sample(sorted(OPTIONS[command]), seed.randint(1, 4))}
    words = base + [word for name, value in given.items() for word in (name, value) if word]
    code, message = run(words)
    if code in (0, 1):
        continue
    refused += 1
    line = shlex.join(words)
    if code not in (2, 3) or message.count("\n") != 1:
        faults.append(f"{line}: exit {code}, {message!r}")
        continue
    first = message.split(":", 2)[1].strip() if ":" in message else ""
    own = {name.split("=")[0] for name in given}
    if NAMED.fullmatch(first) and first not in own and not own & set(NAMED.findall(message)):
        faults.append(f"{line}: names {first}: {message.strip()}")
    match = re.search(r"expected (?:at (?:most|least) )?(\d+)(?: or (\d+))?[^\d.]", message + " ")
    if first in given and match and given[first] in NUMBERS:
        for value in filter(None, match.groups()):
            again = [value if i > 0 and words[i - 1] == first else word for i, word in enumerate(words)]
            mended += 1
            code, later = run(again)
            same = later.split(":", 2)[1:2] == message.split(":", 2)[1:2] and match.group(0).strip() in later
            if code not in (0, 1) and same:
                faults.append(f"{shlex.join(again)}: still {later.strip()}; before: {message.strip()}")
print(f"{refused} of {count} refused, {mended} mended, {len(faults)} faults")
print("\n".join(faults[:40]))
sys.exit(1 if faults or refused < count // 4 else 0)
