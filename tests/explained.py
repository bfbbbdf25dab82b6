#!/usr/bin/env python3
"""'nncost explain' must accept the name of every number that a command prints with --format json.

    usage: explained.py PROGRAM ROOT [PLANS]

Collects the key paths of all numbers, such as "rows.step.exposed_comm.data", and runs 'nncost explain' for each path,
without a model. For numbers of an estimate, runs 'nncost explain' also with model, device and plan: the answer must
then begin with the number.

With PLANS, the script instead draws this many plans of models in ROOT. For each plan, the script explains the numbers
of the estimate, and all ops of the step. The arithmetic that an explanation prints must give the printed result, and
the printed results must be equal to the numbers of the estimate and of the rows of the ops.
"""
import json
import math
import os
import random
import re
import shlex
import subprocess
import sys

from documents import Folder


def numbers_of(value, path=()):
    """Yields each number in a document with its key path; the path has no list indices."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_of(inner, path + (key,))
    elif isinstance(value, list):
        numbers = all(isinstance(inner, (int, float)) for inner in value)
        for index, inner in enumerate(value):
            yield from numbers_of(inner, path + (str(index),) if numbers else path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield ".".join(path), value


def is_explained(answer):
    lines = answer["lines"]
    return len(lines) > 0 and all(
        line["formula"] is not None or line["meaning"] is not None for line in lines)


def without_model(folder):
    """Explains all paths of all outputs, each path once, in one call of the program."""
    paths = {}
    for kind, command, document in folder.documents():
        for path, _ in numbers_of(document):
            paths.setdefault(path, f"nncost {kind} {command}")
    unknown = 0
    for path, command in paths.items():
        text = folder.run("explain", path, "--format", "json", refused=(2,))
        if text.startswith("nncost:"):
            unknown += 1
            print(f"{command}: {text.strip()}")
    if unknown > 0:
        return unknown
    answers = json.loads(folder.run("explain", ",".join(paths), "--format", "json"))
    for path, answer in zip(paths, answers, strict=True):
        if answer["quantity"] != path or not is_explained(answer):
            unknown += 1
            print(f"{path}: has neither a formula nor a meaning")
        if any(line["numbers"] is not None or line["result"] is not None
               for line in answer["lines"]):
            unknown += 1
            print(f"{path}: has numbers of the example")
    print(f"{len(paths)} names")
    return unknown + (0 if len(paths) > 250 else 1)


def with_model(folder):
    """For a number of an estimate, the first line of the explanation must have the number that the estimate prints."""
    faults = 0
    command = ("dense", "round", "--devices", "16", "--tensor", "2", "--pipeline", "2",
               "--micro-batches", "4", "--sequence-parallel", "--tokens", "1e9", "--price", "2")
    estimate = json.loads(folder.run("estimate", *command, "--format", "json"))
    # 'nncost explain' does not explain two kinds of numbers of an estimate. Errors of earlier measurements are recorded
    # in the profile, so no formula computes these errors. The memory of all stages is not explained, because 'nncost
    # explain' explains only the stage that needs the most memory.
    values = {path: value for path, value in numbers_of(estimate)
              if not path.startswith(("ops.", "accuracy.", "memory.stages.", "trust.", "open_facts."))}
    answers = json.loads(folder.run("explain", ",".join(values), *command, "--format", "json"))
    for answer, (path, value) in zip(answers, values.items(), strict=True):
        result = answer["lines"][0]["result"]
        if result is None or abs(result - value) > 1e-9 * abs(value):
            faults += 1
            print(f"{path}: the estimate says {value}, its explanation {result}")
    return faults + (0 if len(values) > 80 else 1)


MODELS = [("llama3-8b", "decoder"), ("gpt2", "decoder"), ("mixtral-8x7b", "experts"),
          ("deepseek-v2-lite", "experts"), ("jamba-v0.1", "experts"),
          ("gemma2-9b", "decoder"), ("t5-base", "encoder"), ("sd1-unet", "image"), ("resnet-50", "image"), ("vit-b-16", "image")]
DEVICES = ["h100", "a100", "v100", "tpu-v5p", "l40s", "mi300x", "b200"]
OPTIONS = {  # option: (values, share of plans that use it, kinds of models)
    "--micro-batch": (["1", "2", "4"], 0.7, "all"), "--micro-batches": (["1", "4"], 0.5, "all"),
    "--zero": (["1", "2", "3"], 0.5, "all"),
    "--tensor": (["2", "4"], 0.3, "decoder experts"), "--pipeline": (["2", "4"], 0.2, "decoder experts"),
    "--context": (["2"], 0.2, "decoder experts"), "--context-kind": (["ring", "all-gather", "ulysses"], 0.3, "decoder"),
    "--expert": (["2", "4"], 0.4, "experts"), "--capacity-factor": (["1.25"], 0.2, "experts"),
    "--imbalance": (["1.5"], 0.2, "experts"),
    "--recompute": (["full", "norm", "attention"], 0.3, "decoder experts"),
    "--optimizer": (["sgd", "adafactor", "muon", "adam8bit", "galore"], 0.3, "all"),
    "--adapter-rank": (["16"], 0.15, "decoder"), "--offload": (["optimizer", "activations"], 0.15, "decoder"),
    "--attention": (["unfused"], 0.1, "decoder"),
    "--software": (["torch-eager", "torch-compile", "megatron", "maxtext"], 0.4, "all"), "--mode": (["ideal"], 0.2, "all"),
    "--precision": (["fp8", "fp32"], 0.2, "all"), "--tokens": (["1e9"], 0.3, "decoder experts"), "--price": (["2"], 0.3, "all"),
    "--policy": (["amp", "bf16-pure"], 0.15, "all"), "--schedule": (["gpipe", "zb-h1"], 0.1, "decoder"),
    "--shard": (["2"], 0.1, "decoder")}
FUNCTIONS = {"min": min, "max": max, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2, "log": math.log,
             "pow": pow,
             "exp": math.exp, "expm1": math.expm1, "cbrt": lambda x: x ** (1 / 3)}


# Names that stand for a group of metrics, or for a sum that no output contains.
GROUPS = ["memory", "bounds", "bubble", "communication", "cost", "flops", "params", "device_flops", "bound_s", "exposed_comm",
          "in_flight", "throughput"]
# TINY makes the numbers of a model so small that their printed digits show a difference of 1.
TINY = ["--set", "layers=4", "--set", "hidden=32", "--set", "heads=4", "--set", "kv_heads=4", "--set", "head_dim=8", "--set",
        "ffn_hidden=64",
        "--set", "vocab=64", "--seq-len", "8"]


def drawn_plan(chance):
    model, kind = chance.choice(MODELS)
    words = [model, chance.choice(DEVICES), "--devices", chance.choice(["1", "8", "16"])]
    if kind == "decoder" and chance.random() < 0.5:
        words, kind = words + TINY, "tiny"
    for option, (values, share, kinds) in OPTIONS.items():
        if (kinds == "all" or kind in kinds) and chance.random() < share:
            words += [option, chance.choice(values)]
    return words


def ask(*words):
    """Returns the JSON document of a command; None if the plan is refused."""
    done = subprocess.run([str(sys.argv[1]), *words, "--no-defaults", "--format", "json"], capture_output=True, text=True,
                          timeout=60, check=False,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C", "NNCOST_PATH": sys.argv[2], "HOME": "/nonexistent"})
    return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else None


def is_right(line):
    """Returns whether the printed arithmetic of a line gives the printed result. The difference of two nearly equal
    numbers has fewer correct digits, so a larger error is allowed for the difference."""
    if line["kind"] != "formula" or line["numbers"] is None or line["result"] is None:
        return True
    text = line["numbers"].replace("^", "**")
    try:
        found = eval(text, {"__builtins__": {}}, FUNCTIONS)  # pylint: disable=eval-used
    except (SyntaxError, NameError, TypeError, ZeroDivisionError, ValueError, OverflowError):
        return True  # the text is not arithmetic
    numbers = [abs(float(word)) for word in re.findall(r"[\d.]+(?:e[-+]?\d+)?", text)]
    most = max([abs(line["result"]), *numbers]) if " - " in text else abs(line["result"])
    return abs(found - line["result"]) <= 1e-8 * most


STEP = ("forward_s", "backward_s", "recompute_s", "update_s", "exposed_comm_s", "bubble_s", "host_s")
TOKEN = re.compile(r"[A-Za-z_][\w.-]*|[\d.]+(?:e[-+]?\d+)?")


def misnamed(line, step):
    """Returns the parts of the step whose formula gives a number that differs from the estimate."""
    if line["kind"] != "formula" or line["formula"] is None or line["numbers"] is None:
        return []
    names, numbers = TOKEN.findall(line["formula"]), TOKEN.findall(line["numbers"])
    if len(names) != len(numbers):
        return []
    return [name for name, value in zip(names, numbers)
            if name in STEP and step[name] is not None and abs(float(value) - step[name]) > 1e-6 * abs(step[name])]


def explained_plan(words):
    """Returns (faults, lines, names) of one plan; None if the plan is refused."""
    estimate = ask("estimate", *words)
    if estimate is None:
        return None
    values = {path: value for path, value in numbers_of(estimate)
              if not path.startswith(("ops.", "accuracy.", "memory.stages.", "trust.", "open_facts.", "memory.advice.")) and
              path != "memory.total_interval_bytes.0"}  # leaves out the smallest value over several software profiles
    names = sorted({o["path"] for o in estimate["ops"] if "," not in o["path"]}) + GROUPS
    answers = ask("explain", ",".join([*values, *names]), *words)
    if answers is None:
        return [f"{shlex.join(words)}: is not explained"], 0, 0
    faults, lines = [], 0
    for answer, value in zip(answers, [*values.values(), *[None] * len(names)]):
        result = answer["lines"][0]["result"] if answer["lines"] else None
        if value is not None and (result is None or not abs(result - value) <= 1e-9 * abs(value)):
            faults.append(f"{shlex.join(words)}: {answer['quantity']} {value}, its explanation {result}")
        for line in answer["lines"]:
            lines += 1
            if not is_right(line):
                faults.append(f"{shlex.join(words)}: {answer['quantity']}: {line['of']} {line['name']} = {line['numbers']}, printed {line['result']}")
        if value is not None and answer["quantity"].startswith(("step.", "throughput.", "cost.")):
            faults += [f"{shlex.join(words)}: {answer['quantity']}: {name} in {line['formula']} = {line['numbers']}"
                       for line in answer["lines"] for name in misnamed(line, estimate["step"])]
        if value is None:
            rows = [o for o in estimate["ops"] if o["path"] == answer["quantity"]]
            faults += unlike_rows(words, answer, rows) if rows else []
    return faults, lines, len(answers)


def unlike_rows(words, answer, rows):
    """Returns faults of an op's explanation: each result with the name of a column must be in a row of this op."""
    faults = []
    for name in ("flops", "vector_flops", "read_bytes", "write_bytes", "kept_bytes", "network_s", "time_s"):
        found = [row[name] for row in rows if row[name] is not None]
        if name == "kept_bytes" and 0 in found:  # some row of the op keeps nothing
            continue
        if name == "time_s" and rows[0]["network_s"] is not None:  # the exposed time of a collective with several rows
            continue
        for line in answer["lines"]:
            if line["name"] == name and line["result"] is not None and not any(abs(value - line["result"]) <= 1e-9 * abs(value) for value in found):
                later = [other for other in answer["lines"] if other["name"] == name and other["of"] == line["of"]]
                if later[-1] is line:
                    faults.append(f"{shlex.join(words)}: {line['of']} {name} {line['result']}, rows {found}")
    return faults


def of_plans(count):
    chance, faults, lines, names, plans = random.Random(28), [], 0, 0, 0
    for _ in range(count):
        found = explained_plan(drawn_plan(chance))
        if found is not None:
            plans, lines, names = plans + 1, lines + found[1], names + found[2]
            faults += found[0]
    print(f"{plans} of {count} plans, {names} names, {lines} lines, {len(faults)} faults")
    print("\n".join(faults[:30]))
    return len(faults) + (0 if plans > count // 4 else 1)


def main():
    if len(sys.argv) > 3:
        sys.exit(1 if of_plans(int(sys.argv[3])) else 0)
    with Folder() as folder:
        faults = without_model(folder) + with_model(folder)
    print(f"{faults} faults")
    sys.exit(1 if faults else 0)


main()
