#!/usr/bin/env python3
"""Draws random plans that do not fit in memory. nncost may answer "no change" only if no change makes the plan fit.

    usage: no_change.py PROGRAM ROOT [COUNT [SEED]]

Draws COUNT plans [200]. If nncost proposes no change, the test estimates all combinations of adapters, format of frozen
weights, recomputation, sequence length, ZeRO, tensor and pipeline ranks, micro-batch and offload. If nncost proposes a
change, the test estimates the changed plan, which must fit."""
import csv
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 200
CHANCE = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "NNCOST_PATH": str(ROOT), "COLUMNS": "400"}


def run(words):
    return subprocess.run([PROGRAM, *words], env=ENVIRONMENT, capture_output=True, text=True)


def estimate(words):
    return run(["estimate", *words])


def facts():
    models, devices = [], []
    for path in sorted((ROOT / "models").glob("*.json")):
        model = json.loads(path.read_text())
        if model.get("family", "decoder") in ("decoder", "encoder"):
            models.append(path.stem)
    for path in sorted((ROOT / "hw").glob("*.json")):
        devices.append(path.stem)
    return models, devices


def draw(models, devices):
    count = CHANCE.choice((1, 1, 1, 2, 4, 8, 8, 16, 64))
    words = [CHANCE.choice(models), CHANCE.choice(devices), "--devices", str(count)]
    for option, values in (("--micro-batch", ("1", "2", "8")), ("--zero", ("0", "1", "2", "3")), ("--recompute", ("none", "full")),
                           ("--precision", ("fp32", "bf16")), ("--optimizer", ("adamw", "sgd", "adam8bit")),
                           ("--seq-len", ("512", "2048", "8192"))):
        if CHANCE.random() < 0.3 and not (option == "--zero" and count == 1):
            words += [option, CHANCE.choice(values)]
    if CHANCE.random() < 0.3:
        words += ["--lora", "16"]
    return words


def fitting(words):
    """Returns options with which the plan fits, or None if no options make it fit. A sweep tries all combinations; then
    an estimate checks a combination that fits. With --software any, each row of the sweep has the same profile as an
    estimate of its plan."""
    given = dict(zip(words[2::2], words[3::2]))
    count = int(given["--devices"])
    degrees = ",".join(str(d) for d in (1, 2, 4, 8, 16) if d <= count)
    lengths = [length for length in ("2048", "512") if int(length) < int(given.get("--seq-len", "1000000"))]
    axes = {"--recompute": "full,none", "--frozen": "nf4,16bit", "--tensor": degrees, "--pipeline": degrees, "--zero": "3,1,0"}
    swept = {**given, **axes, "--lora": "16", "--micro-batch": "1"}
    for offload, length in itertools.product(("", "optimizer+activations"), ("", *lengths)):
        plan = {**swept, **({"--offload": offload} if offload else {}), **({"--seq-len": length} if length else {})}
        done = run(["sweep", *words[:2], *itertools.chain(*plan.items()), "--software", "any", "--all", "--format", "csv"])
        for row in csv.DictReader(io.StringIO(done.stdout)):
            if row["verdict"] in ("over_memory", "illegal"):
                continue
            plan.update({name: row.get(f"plan.{name[2:]}", value) for name, value in axes.items()})
            options = list(itertools.chain(*plan.items()))
            done = estimate([*words[:2], *options])
            if done.returncode == 0 and "implausible" not in done.stdout:
                return " ".join(options)
    return None


def main():
    models, devices = facts()
    over = named = none = 0
    faults = []
    while over < COUNT:
        words = draw(models, devices)
        done = estimate(words)
        if done.returncode != 1 or "DOES NOT FIT" not in done.stdout:
            continue
        over += 1
        found = re.search(r"^would fit +(--.*?): \d", done.stdout, re.M)
        if found:
            named += 1
            again = estimate([*merged(words, found.group(1).split())])
            if again.returncode != 0:
                faults.append(f"{' '.join(words)}: {found.group(1)} does not fit: {again.stderr.strip()}")
            continue
        none += 1
        better = fitting(words)
        if better:
            faults.append(f"{' '.join(words)}: no change is named, but fits with {better}")
    print("\n".join(faults))
    print(f"{over} plans that do not fit: a change named for {named}, none for {none}; {len(faults)} wrong")
    return 1 if faults else 0


def merged(words, options):
    """Returns the plan with the options of a change, which replace options of the same name."""
    plan, at = dict(zip(words[2::2], words[3::2])), 0
    while at < len(options):
        takes = at + 1 < len(options) and not options[at + 1].startswith("--")
        plan[options[at]] = options[at + 1] if takes else None
        at += 2 if takes else 1
    return [*words[:2], *[word for name, value in plan.items() for word in ((name, value) if value else (name,))]]


if __name__ == "__main__":
    sys.exit(main())
