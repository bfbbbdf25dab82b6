#!/usr/bin/env python3
"""Compares random pairs of plans that differ in one option, with the outputs of several commands. The difference in
step time that 'nncost compare' and 'nncost sweep' print must be the difference of two estimates with the same software
profile. The command in each row must give the numbers of this row. If 'nncost compare' shows several profiles, the
parts of a difference must add up to the whole difference. An estimate with the options of an advice must give the step
time and the bytes that the advice states.

    usage: one_cause.py NNCOST ROOT [PAIRS]    seed fixed [200 pairs]
"""
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.environ["NNCOST_PATH"] = root
BAR = int(sys.argv[3]) if len(sys.argv) > 3 else 200
BASES = [["llama3-8b", "h100", "--devices", "64", "--global-batch", "512", "--micro-batch", "1"],
         ["llama2-7b", "a100", "--devices", "32", "--global-batch", "256", "--micro-batch", "1"],
         ["sd1-unet", "a100", "--devices", "64", "--micro-batch", "4"],
         ["mixtral-8x7b", "h200", "--devices", "64", "--global-batch", "512", "--micro-batch", "1"],
         ["gpt2-xl", "v100", "--devices", "16", "--global-batch", "64", "--micro-batch", "1"],
         ["llama3-8b", "tpu-v5p", "--devices", "64", "--global-batch", "512", "--micro-batch", "1"]]
OPTIONS = {"--zero": ["0", "1", "2", "3"], "--tensor": ["1", "2", "4", "8"], "--pipeline": ["1", "2", "4"],
           "--context": ["1", "2"], "--recompute": ["none", "full", "norm"], "--precision": ["bf16", "fp16"],
           "--micro-batch": ["1", "2", "4"], "--seq-len": ["1024", "2048"], "--optimizer": ["adamw", "sgd"]}


def run(words):
    done = subprocess.run([nncost, *words, "--no-defaults", "--format", "json"], capture_output=True, text=True, timeout=60,
                          check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        return None
    return [json.loads(line) for line in done.stdout.splitlines()] if words[0] == "sweep" else json.loads(done.stdout)


def step(words, software):
    """Returns the step time of the plan with the given software profile. If the name of the profile is a release, the
    estimate also has the plan fields of the release."""
    answer = run(["estimate", *words])
    if answer and answer["plan"]["software"] != software:
        answer = run(["estimate", *words, "--software", software])
    return answer and answer["step"]["step_s"]


def without(words, option):
    at = words.index(option) if option in words else len(words)
    return words[:at] + words[at + 2:]


random.seed(28)
faults, pairs, switched, tries = [], 0, 0, 0
while pairs < BAR and tries < 10 * BAR:
    tries += 1
    base = list(random.choice(BASES))
    for extra in random.sample(sorted(OPTIONS), 2):
        if base[0] == "sd1-unet" and extra != "--zero":
            continue
        base = without(base, extra) + [extra, random.choice(OPTIONS[extra])]
    option = random.choice(["--zero", "--micro-batch"] if base[0] == "sd1-unet" else sorted(OPTIONS))
    values = random.sample(OPTIONS[option], 2)
    words = without(base, option)
    compared = run(["compare", *words, option, ",".join(values)])
    if compared is None:  # one of the two plans is illegal
        continue
    pairs += 1
    rows = compared["rows"]
    used = {row["plan"]["software"] for row in rows}
    usual = {run(["estimate", *words, option, value])["plan"]["software"] for value in values}
    switched += len(usual) > 1
    fixed = [step(words + [option, value], rows[0]["plan"]["software"]) for value in values]
    name = shlex.join([*words, option, ",".join(values)])
    if len(used) > 1 or [row["step"]["step_s"] for row in rows] != fixed:
        faults.append(f"compare {name}: {used}, {[row['step']['step_s'] for row in rows]}, fixed {fixed}")
    for row in rows:
        again = run(shlex.split(row["command"])[1:])
        if again["step"] != row["step"] or again["plan"] != row["plan"]:
            faults.append(f"{row['command']}: not the row")
    swept = run(["sweep", *words, option, ",".join(values), "--all", "--columns", "step_s,plan.software,command"])
    if [row["step.step_s"] for row in swept] != fixed:
        faults.append(f"sweep {name}: {[row['step.step_s'] for row in swept]}, fixed {fixed}")
    for row in swept:
        again = run(shlex.split(row["command"])[1:])
        if again["step"]["step_s"] != row["step.step_s"]:
            faults.append(f"{row['command']}: not the row of the sweep")

# If one table has several profiles, each difference in step time is divided into the part of the framework and the
# parts of other causes.
mixed = run(["compare", "llama3-8b", "h100", "--devices", "64", "--micro-batch", "1", "--zero", "1,3", "--software", "any"])["rows"]
there = step(["llama3-8b", "h100", "--devices", "64", "--micro-batch", "1", "--zero", "3"], "megatron")
change = mixed[1]["step"]["step_s"] - mixed[0]["step"]["step_s"]
if abs(mixed[1]["change_s"] - change) > 1e-11 or abs(mixed[1]["framework_s"] - (mixed[1]["step"]["step_s"] - there)) > 1e-11:
    faults.append(f"split: {mixed[1]['change_s']}, {mixed[1]['framework_s']}")

# 'nncost diff' of two recordings divides the change into the same parts as 'nncost compare'.
recorded = []
for zero in ("1", "3"):
    done = subprocess.run([nncost, "estimate", "llama3-8b", "h100", "--devices", "64", "--micro-batch", "1", "--zero", zero,
                           "--no-defaults", "--format", "json"], capture_output=True, text=True, check=False)
    recorded.append(tempfile.NamedTemporaryFile("w", suffix=".json"))
    recorded[-1].write(done.stdout)
    recorded[-1].flush()
row = run(["diff", *(file.name for file in recorded)])["scenarios"][0]
if any(abs(row[key] - mixed[1][key]) > 1e-10 for key in ("change_s", "framework_s")) or ", zero " not in row["split"]:
    faults.append(f"diff: {row['split']}, compare {mixed[1]['change_s']}, {mixed[1]['framework_s']}")

# An estimate with the options of an advice must give the step time that the advice states.
advised = 0
for words in (["llama3-8b", "h100", "--devices", "8"], ["llama3-70b", "h100", "--devices", "64"],
              ["llama2-7b", "a100", "--devices", "16", "--zero", "1", "--micro-batch", "8"],
              ["llama3-8b", "h100", "--data", "8", "--zero", "1", "--micro-batch", "4"]):
    answer = run(["estimate", *words])
    for advice in answer["memory"]["advice"] or []:
        options = shlex.split(advice["text"])
        kept = words
        for option in options:
            if option.startswith("--"):
                kept = without(kept, option)
        batch = [] if "--global-batch" in kept else ["--global-batch", str(answer["plan"]["global_batch"])]
        again = run(["estimate", *kept, *options, *batch])
        advised += 1
        if (again is None or again["step"]["step_s"] != advice["step_s"]
                or again["plan"]["software"] != answer["plan"]["software"]):
            faults.append(f"advice {shlex.join(words)}: {advice}: {again and again['step']['step_s']}")

# 'nncost scale' uses one profile for all sizes.
for words in (["gpt2-xl", "v100", "--devices", "1,8,32,64"], ["llama3-8b", "h100", "--devices", "8,64"]):
    sizes = run(["scale", *words])["sizes"]
    if len({size["software"] for size in sizes if size["software"]}) != 1 or any((s["scaling_efficiency"] or 0) > 1 for s in sizes):
        faults.append(f"scale {shlex.join(words)}")

print(f"{pairs} pairs, {switched} of them with another usual profile, {advised} advices, {len(faults)} faults")
print("\n".join(faults[:20]))
sys.exit(1 if faults or pairs < BAR or switched < BAR // 10 or advised < 6 else 0)
