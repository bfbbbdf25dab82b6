#!/usr/bin/env python3
"""Compares 'nncost search' with estimates of all plans of its space, one by one.

Each round draws a decoder, a device with less memory, and a space: a few values of each degree of parallelism, of ZeRO,
batches, recomputation, offload and schedules. The number of legal plans, the number of plans that fit, and the best
plans with their step time and memory must be the same in the search and in the estimates. Two shards of the search, and
a search on two threads, must find the same plans.

    usage: derived_search.py NNCOST ROOT [ROUNDS]      seed fixed [10 rounds]
"""
import concurrent.futures
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
os.environ["NNCOST_PATH"] = root
folder = tempfile.mkdtemp()
seed = random.Random(28)
MOST = 160  # largest number of plans in a space
BEST = 40


def run(words):
    done = subprocess.run([nncost, *map(str, words), "--no-defaults", "--format", "json"], capture_output=True, text=True,
                          timeout=120, check=False)
    return done.stdout if done.returncode in (0, 1) and done.stdout else None


def draw_model(experts):
    head, heads = 64, seed.choice([8, 16])
    d = {"layers": seed.choice([4, 6, 8]), "hidden": head * heads, "heads": heads, "kv_heads": seed.choice([heads, heads // 2]),
         "head_dim": head,
         "ffn_hidden": 256 * seed.randint(4, 30), "vocab": 1024 * seed.randint(8, 64), "seq_len": 1024,
         "tied_head": seed.random() < 0.5,
         "mlp": seed.choice(["swiglu", "gelu"])}
    if experts:
        d |= {"experts": 8, "experts_per_token": 2, "expert_hidden": 512, "dense_layers": seed.choice([0, 1])}
    path = os.path.join(folder, "m.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "nncost.model/1", "id": "m", "name": "A random decoder", "family": "decoder", **d,
                   "positions": "rotary", "norm": "rms",
                   "biases": False, "dropout": 0, "sources": {"": "drawn"}}, file)
    return path, d["layers"]


def draw_space(experts):
    """Draws the values of each axis. Each axis keeps all its values as long as the space is small; otherwise the axis
    keeps one value."""
    axes = {"tensor": [1, 2], "pipeline": [1, 2], "zero": [0, 1, 2, 3], "micro_batch": [1, 2, 4],
            "recompute": ["none", "full", "norm"],
            "context": [1, 2], "sequence_parallel": [0, 1], "offload": ["none", "optimizer"], "schedule": ["1f1b", "gpipe"],
            "virtual_stages": [1, 2]}
    if experts:
        axes["expert"] = [1, 2, 4]
    order = sorted(axes)
    seed.shuffle(order)
    space, size = {}, 1
    for axis in order:
        values = axes[axis]
        if axis == "virtual_stages" and "schedule" in space or axis == "schedule" and "virtual_stages" in space:
            continue
        if size * len(values) <= MOST:
            space[axis] = values
            size *= len(values)
        else:
            space[axis] = [values[0] if axis == "schedule" else seed.choice(values)]
    for axis in axes:
        space.setdefault(axis, [axes[axis][0]])
    return space


def options(plan, layers):
    """Returns the options of a plan. If the stages have equal numbers of layers only when word table and head count as
    one layer each, a search counts them in this way."""
    parts = plan["pipeline"] * plan["virtual_stages"]
    found = ["--ends-as-layers"] if layers % parts and (layers + 2) % parts == 0 else []
    for key, value in plan.items():
        if key == "sequence_parallel":
            found += ["--sequence-parallel"] if value else []
        elif key == "schedule" and plan["virtual_stages"] > 1:
            found += ["--schedule", "interleaved"]
        else:
            found += ["--" + key.replace("_", "-"), value]
    return found


faults, compared = [], 0
for number in range(rounds):
    experts = seed.random() < 0.4
    (model, layers), space = draw_model(experts), draw_space(experts)
    device = seed.choice(["h100", "a100", "h200"])
    fixed = ["--devices", 8, "--global-batch", seed.choice([16, 32]), "--software", "torch-compile", "--policy", "mixed",
             "--set", f"mem_bytes={seed.choice([3, 5, 8, 80])}e9"]
    plans = [dict(zip(space, values)) for values in itertools.product(*space.values())]
    # Without pipeline stages, the schedule has no effect. A search counts plans that differ only in the schedule as one
    # plan.
    plans = [plan for plan in plans if plan["pipeline"] > 1 or plan["schedule"] == space["schedule"][0]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda plan: run(["estimate", model, device, *fixed, *options(plan, layers)]),
                                plans))  # pylint: disable=cell-var-from-loop
    answers = [json.loads(answer) if answer else None for answer in answers]
    legal = [answer for answer in answers if answer]
    fits = sorted((answer["step"]["step_s"], answer["memory"]["total_bytes"]) for answer in legal if answer["memory"]["fit"] == "fits")
    lists = []
    for key, values in space.items():
        if key == "schedule" and len(space["virtual_stages"]) > 1:
            values = ["1f1b", "interleaved"]
        if key != "sequence_parallel":
            lists += ["--" + key.replace("_", "-"), ",".join(map(str, values))]
        elif len(values) == 1:  # without this option, a search tries sequence parallelism both on and off
            lists += [f"--sequence-parallel={'on' if values[0] else 'off'}"]
    command = ["search", model, device, *fixed, *lists, "--best", BEST, "--threads", 1]
    text = run(command)
    found = json.loads(text) if text else {"legal": 0, "feasible": 0, "best": []}
    best = sorted((plan["step_s"], plan["memory_bytes"]) for plan in found["best"])
    compared += len(plans)
    for what, mine, printed in (("legal", len(legal), found["legal"]), ("fit", len(fits), found["feasible"]),
                                ("best", min(len(fits), BEST), len(best))):
        if mine != printed:
            faults.append(f"{number} {what}: {mine}, search {printed}")
    for mine, printed in zip(fits, best):
        if abs(mine[0] - printed[0]) > 1e-9 * mine[0]:
            faults.append(f"{number} best: {mine}, search {printed}")
            break
    if text and len(fits) <= BEST and fits != best and sorted(round(pair[1]) for pair in fits) != sorted(pair[1] for pair in best):
        faults.append(f"{number} memory: {fits[:3]}, search {best[:3]}")
    if text:
        both = json.loads(run([*command[:-1], 2]))
        if [plan["command"] for plan in both["best"]] != [plan["command"] for plan in found["best"]]:
            faults.append(f"{number} two threads: {both['best'][:1]}, one {found['best'][:1]}")
        shards = [json.loads(run([*command, "--shard", f"{i}/2"]) or '{"legal": 0, "feasible": 0, "best": []}') for i in (1, 2)]
        parts = sorted((plan["step_s"], plan["memory_bytes"]) for shard in shards for plan in shard["best"])[:BEST]
        for what in ("legal", "feasible"):
            if sum(shard[what] for shard in shards) != found[what]:
                faults.append(f"{number} {what} of shards: {[shard[what] for shard in shards]}, whole {found[what]}")
        if len(parts) != len(best) or any(abs(mine[0] - printed[0]) > 1e-9 * mine[0] for mine, printed in zip(parts, best)):
            faults.append(f"{number} best of shards: {parts[:2]}, whole {best[:2]}")
    if faults and faults[-1].startswith(f"{number} "):
        faults.append(f"{number}: {' '.join(map(str, command))}")
print(f"{compared} plans of {rounds} rounds, {len(faults)} faults")
print("\n".join(faults[:30]))
sys.exit(1 if faults else 0)
