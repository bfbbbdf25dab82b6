#!/usr/bin/env python3
"""A search gives each plan the time and the memory that the estimate of its command gives.

    usage: same_digits.py PROGRAM ROOT [COUNT] [SEED]

Draws COUNT searches from all models, devices and profiles, and estimates the first three plans of each by the command
that the search prints.
"""
import json
import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

PROGRAM, ROOT = (str(Path(argument).resolve()) for argument in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 40
rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent", "NNCOST_PATH": ROOT}
MODELS, DEVICES, PROFILES = (sorted(path.stem for path in Path(ROOT, folder).glob("*.json")) for folder in ("models", "hw", "software"))
OPTIONS = [  # option, values, how often it is given
    ("--software", [*PROFILES, "any"], 0.5),
    ("--precision", ["bf16", "fp16", "fp32", "tf32", "fp8"], 0.3),
    ("--optimizer", ["adam8bit", "sgd", "adafactor", "lion", "muon", "galore"], 0.3),
    ("--adapter-rank", ["16"], 0.2),
    ("--train-layers", ["2"], 0.15),
    ("--global-batch", ["8", "16", "64"], 0.5),
]


def document(words):
    done = subprocess.run([PROGRAM, *words, "--format", "json"], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode < 2 and done.stdout else None


faults, searches, plans = [], 0, 0
while searches < COUNT:
    words = ["search", rng.choice(MODELS), rng.choice(DEVICES), "--devices", rng.choice(["1", "2", "4", "8", "16"]), "--threads", "1"]
    for option, values, share in OPTIONS:
        if rng.random() < share:
            words += [option, rng.choice(values)]
    found = document(words)
    if found is None or not found["best"]:
        continue
    searches += 1
    for plan in found["best"][:3]:
        plans += 1
        said = document(shlex.split(plan["command"])[1:])
        if said is None:
            faults.append(f"{plan['command']}: refused")
        elif abs(said["step"]["step_s"] - plan["step_s"]) > 1e-9 * plan["step_s"] or said["memory"]["total_bytes"] != plan["memory_bytes"]:
            faults.append(f"{shlex.join(words)}: {plan['step_s']} s, {plan['memory_bytes']} B; {plan['command']}: "
                          f"{said['step']['step_s']} s, {said['memory']['total_bytes']} B")
print(*faults, sep="\n")
print(f"{searches} searches, {plans} plans, {len(faults)} faults")
sys.exit(bool(faults) or plans < COUNT)
