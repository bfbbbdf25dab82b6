#!/usr/bin/env python3
"""Tests estimates of random plans against formulas and event simulators that share no code with the program.

Each round draws a decoder, a device and a plan. The script computes parameters and FLOPs from the sizes of the
matrices. From a simulation of the pipeline schedule, the script takes the start and end of each pass, and computes the
bytes that each stage keeps. The simulated bubble must agree with the formulas in the papers. From formulas, the script
computes the bytes of weights, gradients, optimizer states and collectives. For a small search, the script finds the
best plan by estimates of all plans. Sources: Narayanan et al., SC '21 (schedules, bubble); Qi et al., ICLR '24 and
arXiv:2405.15362 (zero bubble, V); DeepSeek-V3, arXiv:2412.19437 (DualPipe); Korthikanti et al., MLSys '23 (kept
activations); Rajbhandari et al., SC '20 (ZeRO); Chowdhery et al., JMLR '23 (FLOPs of a token).

    usage: derived.py NNCOST ROOT [ROUNDS]      seed fixed [40 rounds]
"""
import collections
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 40
os.environ["NNCOST_PATH"] = root
folder = tempfile.mkdtemp()
SHAPE = ("virtual_stages", "ends_as_layers", "first_stage_layers", "last_stage_layers")  # fields of an uneven pipeline
covered, faults, illegal, pipelines = collections.Counter(), [], 0, 0


def run(words):
    done = subprocess.run([nncost, *map(str, words), "--no-defaults", "--format", "json"], capture_output=True, text=True,
                          timeout=120, check=False)
    return done.stdout if done.returncode in (0, 1) else None


def options(plan):
    return [word for key, value in plan.items() for word in ("--" + key.replace("_", "-"), value) if word != ""]


def check(what, mine, printed, tolerance=0.0):
    covered[what] += 1
    if not (mine == printed or abs(mine - printed) <= tolerance * max(abs(mine), abs(printed))):
        faults.append(f"{what}: derived {mine!r}, printed {printed!r}: {' '.join(map(str, command))}")


def decoder(chance, layers, experts):
    """Returns a model file of a decoder with random dimensions, and the random dimensions. experts: number of experts
    of a layer, 0 = the layer is dense."""
    head, heads = chance.choice([64, 128]), chance.choice([8, 16, 32])
    d = {"layers": layers, "hidden": head * heads, "heads": heads, "kv_heads": chance.choice([heads, heads // 2, heads // 4]),
         "head_dim": head, "ffn_hidden": 256 * chance.randint(8, 40), "vocab": 1024 * chance.randint(8, 128), "seq_len": 1024,
         "tied_head": chance.random() < 0.5}
    if experts:
        d |= {"experts": experts, "experts_per_token": 2, "expert_hidden": 256 * chance.randint(1, 8)}
    path = os.path.join(folder, f"m{layers}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "nncost.model/1", "id": f"m{layers}", "name": "A random decoder", "family": "decoder", **d,
                   "positions": "rotary", "norm": "rms", "mlp": "swiglu", "biases": False, "dropout": 0,
                   "sources": {"": "drawn"}}, file)
    return path, d


def sizes(d, tensor=1):
    """Returns the parameters on one tensor rank: of a layer, of the norms of a layer, and of one word table. Each rank
    has at least one key head."""
    h, q, kv = d["hidden"], d["heads"] * d["head_dim"] // tensor, max(1, d["kv_heads"] // tensor) * d["head_dim"]
    return h * (q + 2 * kv) + q * h + 3 * h * d["ffn_hidden"] // tensor, 2 * h, d["vocab"] * h // tensor


def orders(schedule, p, m, v):
    """Yields the passes of each device in their order, as (is it forward?, chunk, micro-batch). For zero-bubble
    schedules, weight gradients are left out: zb-h1 then has the same order as 1f1b, and zb-h2 begins with twice as many
    forward passes as 1f1b."""
    for d in range(p):
        if schedule == "gpipe":
            yield [(True, 0, i) for i in range(m)] + [(False, 0, i) for i in range(m)]
            continue
        total = m * v
        warm = min(total, 2 * (p - d - 1) + (v - 1) * p if v > 1 else (p - d - 1) * (2 if schedule == "zb-h2" else 1))
        forward = [(True, k // p % v if v > 1 else 0, k // (p * v) * p + k % p if v > 1 else k) for k in range(total)]
        backward = [(False, v - 1 - k // p % v if v > 1 else 0, k // (p * v) * p + k % p if v > 1 else k) for k in range(total)]
        mixed = [one for pair in zip(forward[warm:], backward) for one in pair]
        yield forward[:warm] + mixed + backward[total - warm:]


def simulate(schedule, p, m, v, forward_s, backward_s, hop_s):
    """Returns start and end of every pass. A pass starts when its device is free and its input has arrived."""
    queues, ends, free, events = [list(one) for one in orders(schedule, p, m, v)], {}, [0.0] * p, []
    while any(queues):
        moved = False
        for d in range(p):
            while queues[d]:
                is_forward, chunk, i = queues[d][0]
                stage = chunk * p + d
                if is_forward:
                    needs = (True, stage - 1, i) if stage > 0 else None
                else:
                    needs = (False, stage + 1, i) if stage < p * v - 1 else (True, stage, i)
                if needs is not None and needs not in ends:
                    break
                hop = hop_s if needs is not None and needs[1] != stage else 0.0
                start = max(free[d], ends[needs] + hop if needs is not None else 0.0)
                free[d] = ends[(is_forward, stage, i)] = start + (forward_s[d] if is_forward else backward_s[d])
                events.append((d, is_forward, chunk, i, start, free[d]))
                queues[d].pop(0)
                moved = True
        assert moved, "deadlock"
    return events


def place(schedule, p, device, chunk):
    """Returns which part of the model a chunk of a device contains. Forward runs part 0 first."""
    if schedule == "zb-v":
        return device if chunk == 0 else 2 * p - 1 - device
    if schedule == "dualpipe":
        return device if chunk == 0 else p - 1 - device
    return chunk * p + device


def dealt(layers, parts, plan):
    """Returns the number of layers in each part of the model. The parts get nearly equal numbers of layers; if layers
    are left over, each of the first parts gets one more layer. The word table and the head may count as one layer each.
    The number of layers on the first and on the last device may be given."""
    p = plan["pipeline"]
    own = {0: plan.get("first_stage_layers"), p - 1: plan.get("last_stage_layers")}
    own = {device: number for device, number in own.items() if number}
    ends = 1 if "ends_as_layers" in plan else 0
    rest = [part for part in range(parts) if part % p not in own]
    share = layers + 2 * ends - sum(own.values())
    found = {part: share // len(rest) + (i < share % len(rest)) for i, part in enumerate(rest)}
    for device, number in own.items():
        chunks = range(device, parts, p)
        found |= {part: number // len(chunks) + (i < number % len(chunks)) for i, part in enumerate(chunks)}
    found[0] -= ends
    found[parts - 1] -= ends
    return found


def legal(timeline, schedule, p, m, v):
    """Checks that each pass runs once and after its inputs, and that passes of one device do not overlap."""
    parts, ends, last = (p if schedule == "dualpipe" else p * v), {}, collections.defaultdict(float)
    passes = sorted((e for e in timeline if e["activity"] in ("forward", "backward", "weight")), key=lambda e: (e["start_s"], e["end_s"]))
    for e in passes:
        ends[e["activity"], place(schedule, p, e["stage"], e["chunk"]), e["micro_batch"]] = e["end_s"]
    for e in passes:
        part, i, kind = place(schedule, p, e["stage"], e["chunk"]), e["micro_batch"], e["activity"]
        needs = {"forward": [("forward", part - 1, i)] if part > 0 else [],
                 "backward": [("forward", part, i)] + ([("backward", part + 1, i)] if part < parts - 1 else []),
                 "weight": [("backward", part, i)]}[kind]
        covered[f"inputs of {schedule}"] += 1
        if any(key not in ends or ends[key] > e["start_s"] * (1 + 1e-9) for key in needs) or e["start_s"] < last[e["stage"]] * (1 - 1e-9):
            faults.append(f"{kind} {part} {i} begins at {e['start_s']}: {' '.join(map(str, command))}")
        last[e["stage"]] = e["end_s"]
    kinds = 3 if any(e["activity"] == "weight" for e in passes) else 2
    check(f"passes of {schedule}", kinds * parts * m, len(passes))
    check(f"different passes of {schedule}", kinds * parts * m, len(ends))


def peak(events, stage, bytes_of):
    """Returns the largest number of bytes that the passes of a stage keep at the same time. A pass keeps its bytes from
    its forward to the end of its backward. If backward has two parts (gradients of inputs, then of weights), the bytes
    are kept until the end of the second part; with zb-h1, as published, until the end of the first part."""
    now = most = 0
    for _, is_forward, chunk, _, _, _ in sorted((e for e in events if e[0] == stage), key=lambda e: e[4]):
        now += bytes_of(chunk) if is_forward else -bytes_of(chunk)
        most = max(most, now)
    return most


def counts(answer, d, plan):
    layer, norms, table = sizes(d)
    layers, tokens = d["layers"], plan["global_batch"] * d["seq_len"]
    params = layers * (layer + norms) + d["hidden"] + table * (1 if d["tied_head"] else 2)
    check("parameters", params, answer["model"]["params"])
    products = 2 * tokens * (layers * layer + table)
    check("FLOPs of a step", 3 * (products + 4 * tokens * d["seq_len"] * layers * d["heads"] * d["head_dim"]),
          answer["work"]["model_flops"], 1e-11)


def states(answer, d, plan):
    """With mixed precision and AdamW, each parameter takes 2 bytes of weights, 2 bytes of gradients and 12 bytes of
    optimizer states. ZeRO divides weights, gradients and optimizer states over the data ranks."""
    layer, norms, table = sizes(d, plan["tensor"])
    data, p = plan["data"] * plan.get("context", 1), plan["pipeline"]
    # the first and the last part of the model are on the same device, so a tied table exists only once
    meet = p == 1 or plan["schedule"] == "zb-v"
    for stage in answer["stages"]:
        ends = (table if stage["stage"] == 0 else 0) + \
            (d["hidden"] + (0 if meet and d["tied_head"] else table) if stage["stage"] == (0 if meet else p - 1) else 0)
        own = stage["layers"] * (layer + norms) + ends
        for name, size, divided in (("weight", 2, plan["zero"] == 3), ("gradient", 2, plan["zero"] >= 2),
                                    ("optimizer", 12, plan["zero"] >= 1)):
            if name == "weight" and divided:
                continue  # memory also has the gathered units of ZeRO 3
            check(f"bytes of {name}s, ZeRO {plan['zero']}", size * own / (data if divided else 1), stage[name + "_bytes"], 1e-3)


def pipeline(answer, d, plan, path):
    p, m, schedule = plan["pipeline"], plan["micro_batches"], plan["schedule"]
    v = 2 if schedule == "zb-v" else plan.get("virtual_stages", 1)
    passes = [e for e in answer["timeline"] if e["activity"] in ("forward", "backward")]
    at = {(e["stage"], e["activity"] == "forward", e["chunk"], e["micro_batch"]): e for e in passes}
    hop = at[1, True, 0, 0]["start_s"] - at[0, True, 0, 0]["end_s"]
    legal(answer["timeline"], schedule, p, m, v)
    if schedule in ("gpipe", "1f1b"):  # other schedules have chunks of unequal work
        times = [[at[s, f, 0, 0]["end_s"] - at[s, f, 0, 0]["start_s"] for s in range(p)] for f in (True, False)]
        mine = simulate(schedule, p, m, v, times[0], times[1], hop)
        for stage, is_forward, chunk, i, start, end in mine:
            check(f"events of {schedule}", start, at[stage, is_forward, chunk, i]["start_s"], 1e-9)
    else:
        mine = [(e["stage"], e["activity"] == "forward", e["chunk"], e["micro_batch"], e["start_s"], e["end_s"]) for e in passes]
        for stage, order in enumerate(orders(schedule, p, m, v) if schedule not in ("zb-v", "dualpipe") else ()):
            printed = [e[1:4] for e in sorted((e for e in mine if e[0] == stage), key=lambda e: e[4])]
            covered[f"order of {schedule}"] += 1
            if printed != order:
                faults.append(f"order of stage {stage}: {printed[:8]}, published {order[:8]}: {' '.join(map(str, command))}")
    # Computes the bytes that one layer keeps and the bytes that the head keeps, from two plans without a pipeline.
    flat = {**plan, "pipeline": 1, "devices": plan["devices"] // p, "micro_batches": 1, "global_batch": plan["micro_batch"] * plan["data"]}
    for name in ("schedule", *SHAPE):
        flat.pop(name, None)
    kept = []
    parts = p if schedule == "dualpipe" else p * v
    for layers in (parts, 2 * parts):
        text = run(["estimate", path, plan_device, *options(flat), "--set", f"model.layers={layers}"])
        kept.append(json.loads(text)["memory"]["activation_bytes"])
    layer = (kept[1] - kept[0]) / parts
    # the first stage also keeps token ids of 8 bytes
    ids = 8 * plan["micro_batch"] * d["seq_len"] // plan.get("context", 1)
    head = kept[0] - layer * parts - ids
    if schedule in ("zb-h2", "zb-v", "dualpipe"):
        mine = [(e["stage"], e["activity"] == "forward", e["chunk"], e["micro_batch"], e["start_s"], e["end_s"])
                for e in answer["timeline"] if e["activity"] in ("forward", "weight")]
    own = dealt(d["layers"], parts, plan)
    for stage in answer["stages"]:
        number = stage["stage"]

        def keeps(chunk):
            part = place(schedule, p, number, chunk)  # pylint: disable=cell-var-from-loop
            return layer * own[part] + (head if part == parts - 1 else 0) + (ids if part == 0 else 0)
        check(f"bytes kept by {schedule}", round(peak(mine, number, keeps)), stage["activation_bytes"])
    if schedule not in ("gpipe", "1f1b", "interleaved"):
        return
    # If all stages are equal and transfers take no time, the idle time of gpipe, 1f1b and interleaved is (p - 1) / (m
    # v) times the work of a stage.
    ideal = simulate(schedule, p, m, v, [1.0] * p, [2.0] * p, 0.0)
    check(f"bubble of {schedule}, simulated", (p - 1) / (m * v), max(e[5] for e in ideal) / (3.0 * m * v) - 1.0, 1e-9)


def volumes(path, d, plan):
    """Returns the bytes that data ranks send in a step, with 2 bytes per parameter. Gradients are sent once per step;
    with ZeRO 2 and 3, they are sent after each micro-batch. With ZeRO 1 and 2, the new weights are sent once per step.
    With ZeRO 3, all weights are sent for forward and for backward of each micro-batch."""
    layer, norms, table = sizes(d, plan["tensor"])
    m, zero = plan["micro_batches"], plan["zero"]
    own = 2 * (d["layers"] * (layer + norms) + d["hidden"] + table * (1 if d["tied_head"] else 2))
    sums = collections.Counter()
    for row in json.loads(run(["ops", path, plan_device, *options(plan)]))["ops"]:
        if row["name"].startswith("data."):
            sums[row["name"][5:]] += int(row["shape"].split("bytes=")[1].split()[0]) * row["repeat"]
    mine = [{"reduce_gradients": own}, {"scatter_gradients": own, "gather_weights": own},
            {"scatter_gradients": m * own, "gather_weights": own},
            {"scatter_gradients": m * own, "gather_weights": 2 * m * own}][zero if plan["data"] > 1 else 0]
    for name, size in mine.items() if plan["data"] > 1 else ():
        check(f"bytes of {name}, ZeRO {zero}", size, sums[name], 1e-3)


def searched(path, chance):
    """Compares the best plan of a search with the best plan among estimates of all plans, in a small space of plans
    that Megatron-LM can start."""
    with open(path) as file:
        layers = json.load(file)["layers"]
    devices, batch = 8, chance.choice([8, 16])
    space = {"tensor": [1, 2], "pipeline": [1, 2], "zero": [0, 1, 2, 3], "micro_batch": [1, 2], "recompute": ["none", "full"]}
    fixed = ["--devices", devices, "--global-batch", batch, "--software", "megatron", "--schedule", "1f1b", "--context", 1,
             "--policy", "mixed"]
    best = math.inf
    for values in itertools.product(*space.values()):
        plan = dict(zip(space, values))
        if plan["pipeline"] > 1 and (plan["zero"] > 1 or layers % plan["pipeline"] != 0):
            continue
        text = run(["estimate", path, plan_device, *fixed, *options(plan)])
        answer = json.loads(text) if text else None
        if answer and answer["memory"]["fit"] != "does_not_fit" and answer["memory"]["fits"]:
            best = min(best, answer["step"]["step_s"])
    lists = [word for key, values in space.items() for word in ("--" + key.replace("_", "-"), ",".join(map(str, values)))]
    text = run(["search", path, plan_device, *fixed, *lists, "--best", 1])
    found = json.loads(text)["best"] if text else []
    check("search = brute force", best, found[0]["step_s"] if found else math.inf, 1e-9)


seed = random.Random(28)
for number in range(rounds):
    schedule = seed.choice(["gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe"])
    p = seed.choice([2, 4, 8] if schedule == "dualpipe" else [2, 3, 4, 5, 8])
    v = seed.randint(2, 7) if schedule == "interleaved" else 2 if schedule == "zb-v" else 1
    layers, uneven = p * v * seed.randint(1, 3), {}
    kind = seed.randint(0, 5)  # kind of uneven pipeline; 3 to 5: the pipeline is even
    if kind == 0:
        layers += seed.randint(1, p * v - 1)
    elif kind == 1 and layers > p * v:
        layers, uneven = layers - 2, {"ends_as_layers": ""}
    elif kind == 2 and p > 2 and schedule not in ("zb-v", "dualpipe"):
        uneven = {seed.choice(["first_stage_layers", "last_stage_layers"]): v * seed.randint(1, 2)}
        layers = sum(uneven.values()) + (p - 1) * v * seed.randint(1, 2)
    experts = seed.choice([0, 0, 8])
    model_path, dims = decoder(seed, layers, experts)
    plan_device = seed.choice(["h100", "a100", "h200"])
    plan = {"tensor": seed.choice([1, 2, 4]), "pipeline": p, "data": seed.choice([1, 2, 4]), "zero": seed.choice([0, 1]),
            "micro_batch": seed.choice([1, 2]), "micro_batches": p * seed.randint(1, 4), "schedule": schedule,
            "software": seed.choice(["megatron", "torch-compile"]), "recompute": seed.choice(["none", "none", "full"])}
    plan |= uneven
    if schedule == "interleaved":
        plan["virtual_stages"] = v
    if seed.random() < 0.3:
        plan["context"], plan["context_kind"] = 2, seed.choice(["ring", "all-gather", "ulysses"])
    if experts and plan["data"] * plan.get("context", 1) > 1:
        plan["expert"] = 2
    if schedule == "dualpipe":
        plan["micro_batches"] *= 2
    plan["devices"] = plan["tensor"] * p * plan["data"] * plan.get("context", 1)
    plan["global_batch"] = plan["micro_batch"] * plan["micro_batches"] * plan["data"]
    command = ["estimate", model_path, plan_device, *options(plan)]
    text = run([*command, "--stages", "--timeline"])
    if text is None:
        illegal += 1
        continue
    answer = json.loads(text)
    if not experts:
        counts(answer, dims, plan)
        if schedule != "dualpipe":  # a device of dualpipe holds two stages
            states(answer, dims, plan)
    pipeline(answer, dims, plan, model_path)
    pipelines += 1
    if experts or "context" in plan:
        continue
    flat = {**plan, "pipeline": 1, "devices": plan["tensor"] * plan["data"], "zero": seed.choice([0, 1, 2, 3])}
    for name in ("schedule", *SHAPE):
        flat.pop(name, None)
    command = ["estimate", model_path, plan_device, *options(flat)]
    text = run([*command, "--stages"])
    if text is not None:
        answer = json.loads(text)
        counts(answer, dims, flat)
        if answer.get("stages"):
            states(answer, dims, flat)
        volumes(model_path, dims, flat)
    if number % 10 == 0:
        command = ["search", model_path, plan_device]
        searched(model_path, seed)
for what, times in sorted(covered.items()):
    print(f"{times:7d} {what}")
print(f"{sum(covered.values())} values of {rounds} rounds, {pipelines} pipelines, {illegal} illegal, {len(faults)} faults")
for fault in faults[:20]:
    print(fault)
sys.exit(1 if faults or illegal > rounds / 2 else 0)
