#!/usr/bin/env python3
"""Compares 'nncost sweep' with rows that this script computes from single estimates.

Each round draws a model, devices and lists of values: comma lists, ranges, doublings, steps and linked axes. The rows
of the sweep must be all combinations in order; the last axis changes fastest. Each legal row must have the same numbers
as a single estimate of its plan. Conditions (--where), sorting (--top, --by), shards, a database and CSV output must
select the same rows as this script. A column that shows a field must have the value of this field in the device or
model file. The command of a row must give the step time of the row.

    usage: derived_sweep.py NNCOST ROOT [ROUNDS]      seed fixed [10 rounds]
"""
import concurrent.futures
import csv
import io
import itertools
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
os.environ["NNCOST_PATH"] = root
folder = tempfile.mkdtemp()
seed = random.Random(28)
RELEASES = sorted(path.stem for path in Path(root, "software").glob("*.json") if "date" in json.loads(path.read_text()))[:3]
AXES = {  # text of each list, and its values
    "micro_batch": [("1..4", [1, 2, 3, 4]), ("1..8*2", [1, 2, 4, 8]), ("1,3", [1, 3]), ("2..6+2", [2, 4, 6]),
                    ("1..2,5", [1, 2, 5])],
    "tensor": [("1,2", [1, 2]), ("1..4*2", [1, 2, 4]), ("4,1", [4, 1]), ("1,3", [1, 3])],
    "zero": [("0..3", [0, 1, 2, 3]), ("0,2", [0, 2]), ("3,1", [3, 1])],
    "seq_len": [("512,1024", [512, 1024]), ("512..2048*2", [512, 1024, 2048])],
    "recompute": [("none,full", ["none", "full"]), ("none,norm+activation", ["none", "norm+activation"])],
    "overlap": [("0..1+0.5", [0, 0.5, 1]), ("0.25,1", [0.25, 1])],
    "precision": [("bf16,fp32", ["bf16", "fp32"])],
    "software": [("torch-compile,megatron", ["torch-compile", "megatron"]), (",".join(RELEASES), RELEASES)],
}
FILES = {"h100": "h100-sxm5-80gb", "a100": "a100-sxm4-80gb", "v100": "v100-sxm2-32gb", "h200": "h200-sxm-141gb"}
COLUMNS = ["row", "step_s", "memory.total_bytes", "memory.fits", "mfu", "tokens_per_s", "verdict"]


def run(words, form="json"):
    done = subprocess.run([nncost, *map(str, words), "--no-defaults", "--format", form], capture_output=True, text=True,
                          timeout=120, check=False)
    return done.stdout if done.returncode in (0, 1) else None


def estimate(words):
    text = run(["estimate", *words])
    answer = json.loads(text) if text else None
    return answer and {"step_s": answer["step"]["step_s"], "total_bytes": answer["memory"]["total_bytes"],
                       "fits": answer["memory"]["fits"],
                       "mfu": answer["throughput"]["mfu"], "tokens_per_s": answer["throughput"]["tokens_per_s"],
                       "software": answer["plan"]["software"]}


def same(mine, printed):
    return mine is not None and printed is not None and abs(mine - printed) <= 1e-9 * abs(mine)


def fault(what, mine, printed):
    faults.append(f"{number} {what}: {mine}, sweep {printed}: {' '.join(map(str, command))}")


def rows_of(words):
    text = run(words)
    return [] if not text else [json.loads(line) for line in text.splitlines()]


def judge(rows, expected):
    """Tests the rows of --all: one row for each combination, in order."""
    if len(rows) != len(expected):
        fault("rows", len(expected), len(rows))
        return
    for i, (row, (values, mine)) in enumerate(zip(rows, expected)):
        for name, value in values.items():
            shown = row.get(name, row.get("plan." + name))
            if str(shown) != str(value).replace("+", ",") and not (isinstance(value, float) and same(value, shown)):
                fault(f"row {i} {name}", value, shown)
        if mine is None:
            if row["step.step_s"] is not None:
                fault(f"row {i}", "illegal", row["step.step_s"])
        elif not same(mine["step_s"], row["step.step_s"]) or mine["total_bytes"] != row["memory.total_bytes"] or not same(mine["mfu"], row["throughput.mfu"]):
            fault(f"row {i}", mine, row)


def field(spec, name):
    """Returns a field of a device or model file. The name of a rate ends with the number format."""
    for part in name.split("."):
        spec = spec.get(part) if spec else None
    return spec


def judge_fields(words, devices):
    """Tests columns with fields of the device files and of the model file."""
    files = [json.loads(Path(root, "hw", FILES[device] + ".json").read_text()) for device in devices]
    net = json.loads(Path(root, "models", FILES.get(model, model) + ".json").read_text())
    names = {"device": ["l2_bytes", "units", "clock_hz", "power_w", "matmul_flops_per_s.fp16", "vector_flops_per_s.fp32"],
             "model": ["layers", "hidden", "kv_heads", "ffn_hidden", "tied_head", "biases", "mlp", "norm"]}
    columns = [f"{kind}.{name}" for kind, found in names.items() for name in found]
    found = rows_of([*words, "--columns", ",".join(columns), "--all"])
    if len(found) % len(devices) != 0 or not found:
        fault("rows of fields", len(devices), len(found))
    for i, row in enumerate(found):
        for name in names["device"] + names["model"]:
            kind = "device" if name in names["device"] else "model"
            mine = field(files[i * len(devices) // len(found)] if kind == "device" else net, name)
            if row[f"{kind}.{name}"] != mine and not (isinstance(mine, float) and same(mine, row[f"{kind}.{name}"])):
                fault(f"{kind}.{name} of row {i}", mine, row[f"{kind}.{name}"])


def judge_framework(device):
    """With --software any, each plan has its own profile. framework_s is the step time of a row minus the step time of
    the same plan with the profile of the first row."""
    plans = [["--devices", 8, "--policy", policy, "--zero", zero] for policy in ("mixed", "fp32") for zero in (3, 0)]
    answers = [estimate([model, device, *plan]) for plan in plans]
    first = next(answer for answer in answers if answer)["software"]
    others = [estimate([model, device, *plan, "--software", first]) for plan in plans]
    found = rows_of(["sweep", model, device, "--devices", 8, "--policy", "mixed,fp32", "--zero", "3,0", "--software", "any",
                     "--columns", "row,step_s,framework_s", "--all"])
    if len(found) != len(plans):
        fault("rows of --software any", len(plans), len(found))
    for row, answer, other in zip(found, answers, others):
        mine = answer["step_s"] - other["step_s"]
        if not same(answer["step_s"], row["step.step_s"]) or abs(mine - row["framework_s"]) > 1e-9 * answer["step_s"]:
            fault(f"framework_s of row {row['row']}", mine, row["framework_s"])


def judge_commands():
    """The command of each row must be an estimate with the profile of the row. All rows have the kind of profile that
    nncost chooses for the first plan (ZeRO 0). An estimate of a plan with ZeRO 3 without --software has another kind of
    profile. The names of the profiles differ between models and between devices, because fp16 on a V100 is predicted
    with the programs of its time."""
    found = rows_of(["sweep", "gpt2,resnet50", "v100,h100", "--devices", 8, "--precision", "fp16", "--zero", "0,3",
                     "--columns", "row,step_s,plan.software,command", "--all"])
    if len(found) != 8:
        fault("rows with commands", 8, len(found))
    for row in found:
        answer = estimate(shlex.split(row["command"])[2:])
        if not answer or not same(answer["step_s"], row["step.step_s"]) or answer["software"] != row["plan.software"]:
            fault(f"command of row {row['row']}", answer, row)


faults, compared = [], 0
command = ["sweep", "with commands"]
number = 0
judge_commands()
for number in range(rounds):
    model = seed.choice(["gpt2", "llama3-8b", "gpt2-medium", "mistral-7b"])
    devices = seed.choice([["h100"], ["h100", "a100"], ["v100", "h200"]])
    names = seed.sample(sorted(AXES), seed.randint(1, 3))
    names.sort(key=lambda name: name != "software")  # profiles come before options of the plan
    axes = {name: seed.choice(AXES[name]) for name in names}
    base = ["--devices", seed.choice([4, 8, 24]), *(["--policy", "mixed"] if "precision" not in axes else [])]
    base += [] if "software" in axes else ["--software", seed.choice(["torch-compile", "megatron"])]
    linked = seed.random() < 0.3 and not {"tensor", "micro_batch"} & set(names)
    lists = [word for name, (text, _) in axes.items() for word in ("--" + name.replace("_", "-"), text)]
    combined = [dict(zip(names, values)) for values in itertools.product(*(axes[name][1] for name in names))]
    if linked:
        lists += ["--link", "tensor=1,2;micro_batch=4,1"]
        combined = [values | pair for values in combined for pair in ({"tensor": 1, "micro_batch": 4},
                                                                      {"tensor": 2, "micro_batch": 1})]
    plans = [(device, values) for device in devices for values in combined]

    def words_of(plan):
        device, values = plan
        return [model, device, *base, *(word for name, value in values.items()  # pylint: disable=cell-var-from-loop
                                        for word in ("--" + name.replace("_", "-"), str(value).replace("+", ",")))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda plan: estimate(words_of(plan)), plans))  # pylint: disable=cell-var-from-loop
    compared += len(plans)
    command = ["sweep", model, ",".join(devices), *base, *lists, "--columns",
               ",".join([*COLUMNS, *(["tensor", "micro_batch"] if linked else []), *names]),
               "--threads", 1]
    everything = rows_of([*command, "--all"])
    judge_fields(command[:-4], devices)
    if number % 3 == 0:
        judge_framework(devices[0])
    judge(everything, [(values, answer) for (_, values), answer in zip(plans, answers)])
    legal = [(i, answer) for i, answer in enumerate(answers) if answer and answer["fits"]]
    printed = rows_of(command)
    if [row["row"] for row in printed] != [everything[i]["row"] for i, _ in legal]:
        fault("rows that fit", [i for i, _ in legal], [row["row"] for row in printed])
    middle = sorted(answer["step_s"] for _, answer in legal)[len(legal) // 2] if legal else 1.0
    few = rows_of([*command, "--where", f"step_s <= {middle * 1.0001!r} && mfu > 0.1", "--where", "total_bytes / 1e9 < 1e3"])
    mine = [i for i, answer in legal if answer["step_s"] <= middle * 1.0001 and answer["mfu"] > 0.1]
    if [row["row"] for row in few] != [everything[i]["row"] for i in mine]:
        fault("--where", mine, [row["row"] for row in few])
    for by, key, falls in (("step_s", "step_s", False), ("tokens_per_s", "tokens_per_s", True), ("step_s:desc", "step_s", True),
                           ("total_bytes", "total_bytes", False)):
        found = rows_of([*command, "--top", 3, "--by", by])
        order = sorted((answer[key] for _, answer in legal), reverse=falls)[:3]
        column = {"step_s": "step.step_s", "tokens_per_s": "throughput.tokens_per_s", "total_bytes": "memory.total_bytes"}[key]
        if len(found) != len(order) or not all(same(a, row[column]) for a, row in zip(order, found)):
            fault(f"--by {by}", order, [row[column] for row in found])
    if rows_of([*command, "--all", "--where", "model.layers > 0"]) != everything:  # also rows with illegal plans
        fault("--where with a field of the model", len(everything), "others")
    shards = [rows_of([*command, "--all", "--shard", f"{i}/3"]) for i in (1, 2, 3)]
    if [shards[i % 3][i // 3] for i in range(len(everything)) if i // 3 < len(shards[i % 3])] != everything:
        fault("shards", len(everything), [len(shard) for shard in shards])
    if rows_of([*command[:-1], 2, "--all"]) != everything:
        fault("two threads", "the same rows", "others")
    table = list(csv.DictReader(io.StringIO(run([*command, "--all"], "csv") or "")))
    if len(table) != len(everything) or any(str(row["row"]) != line["row"] for row, line in zip(everything, table)):
        fault("CSV", len(everything), len(table))
print(f"{compared} rows of {rounds} rounds, {len(faults)} faults")
print("\n".join(faults[:20]))
sys.exit(1 if faults else 0)
