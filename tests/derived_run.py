#!/usr/bin/env python3
"""Compares 'nncost run' and 'nncost budget' with a second computation from docs/data-and-runs.md.

Each round draws the options of a run: its length, failures, checkpoints, elastic training, spare nodes, input data,
sites, evaluations, energy and money. The script derives every number of the run from the options and from the step of
the estimate. In addition, ROUNDS / 10 rounds test the optimum of each scaling law for a number of FLOPs.

    usage: derived_run.py NNCOST ROOT [ROUNDS]      seed fixed [100 rounds]
"""
import json
import math
import os
import random
import subprocess
import sys

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 100
os.environ["NNCOST_PATH"] = root
seed = random.Random(28)
DAY, MONTH = 86400.0, 730.0 * 3600.0


def run(words):
    done = subprocess.run([nncost, *map(str, words), "--no-defaults", "--format", "json"], capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode not in (0, 1) and os.environ.get("SHOW"):
        print(done.stderr.strip())
    return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else None


def check(what, mine, printed):
    global compared
    compared += 1
    if mine is None or printed is None:
        if mine is not printed:
            faults.append(f"{number} {what}: derived {mine}, printed {printed}: {' '.join(map(str, command))}")
    elif not abs(mine - printed) <= 1e-8 * max(abs(mine), abs(printed)):
        faults.append(f"{number} {what}: derived {mine!r}, printed {printed!r}: {' '.join(map(str, command))}")


def draw():
    """Draws options of a run: {name: value}."""
    o = {"device_mtbf_s": seed.choice([3e6, 2e7, 1.8e8]), "step_s": seed.choice([0.5, 2.0, 30.0])}
    o |= seed.choice([{"tokens": 1e10}, {"samples": 3e6}, {"days": 20}, {"device_hours": 5e4}, {"epochs": 2, "dataset_size": 4e9}])
    for name, values, share in (
            ("detect_s", [60, 600], 0.3), ("start_s", [10, 100], 0.3), ("replace_s", [7200], 0.4),
            ("repair_s", [3600, 172800], 0.3),
            ("failing_share", [0.25, 0.5], 0.3), ("reclaim_per_month", [0.125], 0.2), ("planned_stops", [3], 0.2),
            ("checkpoint_bytes", [1e11, 2e12], 0.3),
            ("storage_write_bytes_per_s", [1e10], 0.4), ("storage_read_bytes_per_s", [4e10], 0.3), ("save_s", [100], 0.2),
            ("load_s", [50], 0.2),
            ("checkpoint_interval_s", [600, 7200], 0.3), ("warmup_s", [900], 0.3), ("straggler_share", [0.03125], 0.3),
            ("network_w", [5000], 0.2),
            ("pue", [1.25], 0.4), ("carbon_g_per_kwh", [300], 0.5), ("price", [2.5], 0.6)):
        if seed.random() < share:
            o[name] = seed.choice(values)
    if "replace_s" in o and seed.random() < 0.5:
        o["spares"] = seed.choice([1, 3])
    if "save_s" in o and seed.random() < 0.5:
        o["block_s"] = 20
    for share, more in ((0.3, {"evaluate_every": 1000, "evaluate_s": 120}), (0.3, {"idle_w": 200, "busy_w": 800}),
                        (0.3, {"embodied_kg": 150, "life_s": 2e8, "use_share": 0.75}),
                        (0.2, {"stored_bytes": 5e13, "storage_price": 0.02}),
                        (0.2, {"egress_bytes": 1e12, "egress_price": 0.08}), (0.2, {"asynchronous": ""}),
                        (0.15, {"elastic_replicas": 8, "reshard_s": 40}),
                        (0.2, {"sites": 3, "outer_every": 100, "site_bytes_per_s": 1e9, "outer_overlap_s": 5}),
                        (0.3, {"sample_bytes": 1e8, "input_bytes_per_s": 2e9, "access_share": 0.5, "cached_share": 0.25}),
                        (0.3, {"prepare_s": 4.0, "workers": 5}), (0.2, {"prepared_bytes": 3e8, "prefetch": 3}),
                        (0.1, {"encode_s": 0.125})):
        if seed.random() < share:
            o |= more
    if {"sample_bytes", "prepare_s"} & set(o) and seed.random() < 0.25:
        o["serial_input"] = ""
    return o


def inputs(o, samples, devices, computed, link):
    """Returns the seconds in which the samples of a step are read, prepared and sent (None: not given), and the step
    time with data loading."""
    own = samples / devices
    fetch = own * o["sample_bytes"] * (1 - o["cached_share"]) / (o["input_bytes_per_s"] * o["access_share"] / devices) if "sample_bytes" in o else None
    prepare = own * o["prepare_s"] / o["workers"] if "prepare_s" in o else None
    transfer = own * o["prepared_bytes"] / link if "prepared_bytes" in o else None
    times = [value for value in (fetch, prepare, transfer) if value is not None]
    if not times:
        return fetch, prepare, transfer, computed
    return fetch, prepare, transfer, computed + sum(times) if "serial_input" in o else max(computed, *times)


def spares_of(mean):
    """Returns the smallest number of spare nodes that can replace all broken nodes in 99 % of the time, and the share
    of the time in which the spare nodes are too few."""
    total, count = math.exp(-mean), 0
    term = total
    while total < 0.99:
        count += 1
        term *= mean / count
        total += term
    return count, max(1 - total, 0.0)


def judge(o, answer, device, estimate):
    said, devices = answer["run"], answer["plan"]["devices"] * o.get("sites", 1)
    nodes = math.ceil(devices / answer["plan"]["devices_per_node"])
    tokens, samples = [estimate[key] * o.get("sites", 1) for key in ("tokens", "samples")]
    computed = o["step_s"] + (samples / devices * o["encode_s"] if "encode_s" in o else 0.0)
    fetch, prepare, transfer, step_s = inputs(o, samples, devices, computed, device["host"]["bytes_per_s"])
    for what, mine in (("fetch_s", fetch), ("prepare_s", prepare), ("transfer_s", transfer), ("step_s", step_s),
                       ("input_wait_s", step_s - computed)):
        check(what, mine, said[what])
    # ---- failures ----
    rate = devices / o["device_mtbf_s"] + o.get("reclaim_per_month", 0.0) * nodes / MONTH
    mean = 1 / rate
    check("system_mtbf_s", mean, said["system_mtbf_s"])
    check("survive_hour", math.exp(-3600 / mean), said["survive_hour"])
    size = o.get("checkpoint_bytes", estimate["params"] * 14)
    write = o.get("storage_write_bytes_per_s", devices * 2e12 / 16384)
    read = o.get("storage_read_bytes_per_s", write)
    save = o.get("save_s", size / write)
    block = o.get("block_s", size / devices / device["host"]["bytes_per_s"] if "asynchronous" in o else save)
    load = o.get("load_s", size / read)
    for what, mine in (("checkpoint_bytes", size), ("save_s", save), ("block_s", block), ("load_s", load)):
        check(what, mine, said[what])
    out = o.get("failing_share", 1.0) * o.get("repair_s", 2 * DAY) / mean
    check("nodes_out", out, said["nodes_out"])
    if out < 700:
        need, short = spares_of(out)
        check("spares_needed", need, said["spares_needed"])
        if short > 1e-12:
            check("short_share", short, said["short_share"])
    below = sum(math.exp(-out) * out ** k / math.factorial(k) for k in range(o.get("spares", 0)))
    restart = o.get("detect_s", 600) + o.get("start_s", 30) + load + max(1 - below, 0.0) * o.get("replace_s", 0)
    check("restart_s", restart, said["restart_s"])
    young = math.sqrt(2 * block * mean)
    check("young_s", young, said["young_s"])
    half = block / (2 * mean)
    daly = young * (1 + math.sqrt(half) / 3 + half / 9) - block if half < 1 else mean
    best = 3600 if "elastic_replicas" in o else max(young, save) if "asynchronous" in o else daly
    tau = o.get("checkpoint_interval_s", best)
    check("interval_s", tau, said["interval_s"])
    again = restart + (save if "asynchronous" in o else 0.0)
    goodput = tau / (mean * math.exp(again / mean) * math.expm1((tau + block) / mean))
    first = 1 - block / tau - (tau / 2 + restart) / mean
    if "elastic_replicas" in o:
        lost = o.get("detect_s", 600) + o["reshard_s"] + o.get("replace_s", 0) / o["elastic_replicas"]
        goodput = first = tau / (tau + block) * max(0.0, 1 - lost / mean)
    check("goodput", goodput, said["goodput"])
    check("first_order", first, said["first_order"])
    # ---- the length of the run ----
    outer = 0.0
    if "sites" in o:
        outer = max(0.0, 2 * 4 * estimate["params"] * (o["sites"] - 1) / o["sites"] / o["site_bytes_per_s"] - o["outer_overlap_s"])
    check("outer_s", outer, said["outer_s"])
    slow = o.get("straggler_share", 0.0)
    planned = o.get("planned_stops", 0) * restart
    check("planned_s", planned, said["planned_s"])
    warm = o.get("warmup_s", 0.0)
    if "days" in o or "device_hours" in o:
        days = o.get("days", o.get("device_hours", 0) / devices / 24)
        each = step_s / (1 - slow) / goodput + (o["evaluate_s"] / o["evaluate_every"] if "evaluate_s" in o else 0.0)
        steps = max(0.0, days * DAY - warm - planned) / (each + (outer / o["outer_every"] if "sites" in o else 0.0))
    else:
        steps = o["samples"] / samples if "samples" in o else o.get("tokens", 0) / tokens
        if "epochs" in o:  # the last step may have fewer samples
            steps = math.ceil(o["epochs"] * o["dataset_size"] / tokens)
    check("steps", steps, said["steps"])
    check("tokens", steps * tokens, said["tokens"])
    check("samples", steps * samples, said["samples"])
    train, wait = steps * computed, steps * (step_s - computed)
    late = (train + wait) * slow / (1 - slow)
    useful = train + wait + late
    saving = useful / tau * block
    evaluating = math.floor(steps / o["evaluate_every"]) * o["evaluate_s"] if "evaluate_s" in o else 0.0
    apart = math.floor(steps / o["outer_every"]) * outer if "sites" in o else 0.0
    total = useful / goodput + evaluating + warm + planned + apart
    for what, mine in (("train_s", train), ("wait_s", wait), ("straggler_s", late), ("save_time_s", saving),
                       ("lost_s", useful / goodput - useful - saving),
                       ("evaluate_s", evaluating), ("warmup_s", warm), ("sites_s", apart), ("run_s", total), ("days", total / DAY),
                       ("device_hours", total / 3600 * devices), ("stops", total / mean)):
        check(what, mine, said[what])
    # ---- money and energy ----
    hours, price = total / 3600 * devices, o.get("price", device["prices"][0]["per_device_hour"])
    stored = o["stored_bytes"] / 1e9 * o["storage_price"] * total / MONTH if "stored_bytes" in o else 0.0
    moved = o["egress_bytes"] / 1e9 * o["egress_price"] if "egress_bytes" in o else 0.0
    for what, mine in (("cost_devices", hours * price), ("cost_storage", stored), ("cost_egress", moved),
                       ("cost", hours * price + stored + moved),
                       ("cost_per_million_tokens", (hours * price + stored + moved) / (steps * tokens) * 1e6)):
        check(what, mine, said[what])
    idle, busy = o.get("idle_w", device["node_power"]["idle_w"]), o.get("busy_w", device["node_power"]["busy_w"])
    share = (estimate["busy"] * train + evaluating) / total
    check("busy_share", share, said["busy_share"])
    power = idle + (busy - idle) * share
    energy = (power * devices + o.get("network_w", 0)) * total * o.get("pue", 1.0)
    rated = device["power_w"] * hours * 3600 * o.get("pue", 1.0)
    for what, mine in (("power_w", power), ("energy_j", energy), ("rated_energy_j", rated)):
        check(what, mine, said[what])
    if "carbon_g_per_kwh" in o:
        check("carbon_kg", energy / 3.6e6 * 0.3, said["carbon_kg"])
        check("rated_carbon_kg", rated / 3.6e6 * 0.3, said["rated_carbon_kg"])
    if "embodied_kg" in o:
        check("embodied_carbon_kg", 150 * hours * 3600 / (2e8 * 0.75), said["embodied_carbon_kg"])


LAWS = {"printed": (1.69, 406.4, 410.7, 0.34, 0.28), "epoch": (1.81686, 482.00572, 2085.4342, 0.34781, 0.36585),
        # values computed from logarithms in the TeX source of the paper
        "tex": (1.6933736809989528, 406.4010175194737, 410.7228269450398, 0.33917084, 0.2849083)}


def loss_of(law, n, tokens):
    e, a, b, alpha, beta = law
    return e + a / n ** alpha + b / tokens ** beta


def least(function, low, high):
    """Returns the position of the minimum of a function with one minimum, by golden-section search over positive
    numbers."""
    low, high, ratio = math.log(low), math.log(high), (math.sqrt(5) - 1) / 2
    for _ in range(120):
        one, two = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, two) if function(math.exp(one)) < function(math.exp(two)) else (one, high)
    return math.exp((low + high) / 2)


def best_size(law, flops):
    """Returns the number of parameters N with the smallest loss for a given number of FLOPs, 6 N D."""
    _, a, b, alpha, beta = law
    return (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** (beta / (alpha + beta))


def tokens_for(law, n, loss):
    e, a, b, alpha, beta = law
    left = loss - e - a / n ** alpha
    return (b / left) ** (1 / beta) if left > 0 else math.inf


def near(what, mine, printed, tolerance):
    check(what, printed if abs(mine - printed) <= tolerance * abs(mine) else mine, printed)


def budget(flops, served, n, trained):
    words = ["--flops", flops] if n is None else ["--params", n, "--tokens", trained]
    command[:] = ["budget", *words, "--serve-tokens", served]
    answer = run(command)
    flops = flops if n is None else 6 * n * trained
    sizes = {"rule-of-20": math.sqrt(flops / 120), "approach-1": 1e9 * (flops / 1.21e20) ** 0.49803,
             "approach-2": 1e9 * (flops / 1.2e20) ** 0.48986,
             "llama-3": flops / 6 / (0.299 * flops ** 0.537), "llama-3-printed": flops / 6 / (0.29 * flops ** 0.53),
             "deepseek": flops / 6 / (5.8316 * flops ** 0.4757), "kaplan": 1.3e9 * (flops / 8.64e19) ** 0.73}
    sizes |= {name: best_size(law, flops) for name, law in LAWS.items()}
    check("flops", flops, answer["flops"])
    for row in answer["optima"]:
        name, size = row["law"], sizes[row["law"]]
        near(f"{name} params", size, row["params"], 1e-9)
        near(f"{name} tokens", flops / 6 / row["params"], row["tokens"], 1e-9)
        if name not in LAWS:
            check(f"{name} loss", None, row["loss"])
            continue
        law = LAWS[name]
        loss = loss_of(law, size, flops / 6 / size)
        near(f"{name} loss", loss, row["loss"], 1e-9)
        goal, before = (loss, flops + 2 * size * served) if n is None else (loss_of(law, n, trained), flops + 2 * n * served)

        def both(m):
            return 6 * m * tokens_for(law, m, goal) + 2 * m * served  # pylint: disable=cell-var-from-loop
        served_size = least(both, 1e6, 1e14)
        near(f"{name} served", served_size, row["served_params"], 1e-5)
        near(f"{name} served tokens", tokens_for(law, served_size, goal), row["served_tokens"], 1e-4)
        check(f"{name} saved", None if row["saved_share"] is None else round(1 - both(served_size) / before, 7),
              round(row["saved_share"], 7))
        if n is not None:
            fewest = least(lambda m: 6 * m * tokens_for(law, m, goal), 1e6, 1e14)  # pylint: disable=cell-var-from-loop
            near(f"{name} over-training", flops / (6 * fewest * tokens_for(law, fewest, goal)), answer["over_training"][name], 1e-6)


with open(os.path.join(root, "hw/h100-sxm5-80gb.json"), encoding="utf-8") as file:
    h100 = json.load(file)
faults, compared, refused = [], 0, 0
for number in range(rounds):
    chosen = draw()
    plan = ["llama3-8b", "h100", "--devices", seed.choice([8, 64, 512]), "--zero", 1, "--micro-batch", 1, "--policy", "mixed",
            "--software", "megatron"]
    command = ["run", *plan, *(word for key, value in chosen.items() for word in ("--" + key.replace("_", "-"),
                                                                                  value) if word != "")]
    document = run(command)
    if document is None or document.get("run") is None:
        refused += 1
        continue
    step = document["step"]
    facts = {"tokens": document["work"]["tokens"], "samples": document["plan"]["global_batch"],
             "params": document["model"]["params"],
             "busy": 1 - (step["bubble_s"] + step["exposed_comm_s"] + step["host_s"]) / step["step_s"]}
    judge(chosen, document, h100, facts)
for number in range(max(rounds // 10, 1)):
    command = []
    of_model = seed.random() < 0.5
    budget(10 ** seed.uniform(20, 26), 10 ** seed.uniform(11, 14), 1e9 * seed.randint(1, 100) if of_model else None,
           1e12 * seed.randint(1, 20))
print(f"{compared} values of {rounds} rounds, {refused} refused, {len(faults)} faults")
print("\n".join(faults[:int(os.environ.get("FAULTS", 30))]))
sys.exit(1 if faults or refused > rounds / 2 else 0)
