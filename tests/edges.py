#!/usr/bin/env python3
"""Values at the edges: every numeric option of estimate, run, serve and budget, and every numeric field of a device, a
software profile and a cluster through --set, one at a time.

Each command ends in an answer or a refusal. An answer has no NaN and no infinity, no number beyond 1e40 and no positive one
below 1e-40 in its text, and the parts of a JSON document add up to their total.

    usage: edges.py NNCOST ROOT [COUNT [EVERY]]    COUNT: pairs of edge values to try as well, by a fixed seed
                                                   EVERY: one edge value of EVERY is tried alone [1: all]
"""
import json
import math
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 0
every = int(sys.argv[4]) if len(sys.argv) > 4 else 1
os.environ["NNCOST_PATH"] = root
VALUES = ["0", "1", "2", "1e-320", "1e-308", "1e-300", "1e-12", "1e-6", "0.001", "0.5", "0.999999999", "3", "1000", "1e6", "1e9",
          "1e12", "1e15", "1e18", "1e30", "1e300", "1.7976931348623157e308", "-1", "nan", "inf"]
BASES = {
    "estimate": ["estimate", "llama3-8b", "h100", "--devices", "16", "--zero", "3"],
    "run": ["run", "gpt2", "a100", "--devices", "16", "--tokens", "1e10"],
    "serve": ["serve", "llama3-8b", "h100", "--batch", "8", "--input-len", "1024", "--output-len", "128"],
    "budget": ["budget", "--device", "h100", "--cost", "1e6"],
}
BAD = re.compile(r"(?<![\w.-])-?(nan|inf)(?![\w-])|\d(?:\.\d+)?e[+-]?(?:4\d|[5-9]\d|\d{3})", re.I)


def run(words):
    return subprocess.run([nncost, *words, "--no-defaults"], capture_output=True, text=True, timeout=60, check=False)


def options(command):
    text = run([command, "--help-all"]).stdout
    own = {word for word in BASES[command] if word.startswith("--")}
    return [name for name, _ in re.findall(r"^  (--[a-z0-9-]+) (N|X)\b", text, re.M) if name not in own | {"--arrivals"}]


def fields():
    """Numeric fields of the device, as `show` prints them."""
    shown = json.loads(run(["show", "h100", "--format", "json"]).stdout)["fields"]
    return [row["field"] for row in shown if isinstance(row["value"], (int, float)) and row["field"] != "year"]


def close(parts, total):
    return math.isclose(math.fsum(parts), total, rel_tol=1e-9, abs_tol=1e-300)


def sums(document):
    """Names of totals that are not the sum of their parts."""
    wrong = []
    step, memory, whole = (document.get(key) or {} for key in ("step", "memory", "run"))
    parts = ["forward_s", "backward_s", "recompute_s", "update_s", "exposed_comm_s", "bubble_s", "host_s"]
    if all(isinstance(step.get(key), (int, float)) for key in [*parts, "step_s"]):
        if not close([step[key] for key in parts], step["step_s"]):
            wrong.append("step_s")
    parts = ["weight_bytes", "gradient_bytes", "optimizer_bytes", "activation_bytes", "transient_bytes", "reserve_bytes"]
    if all(isinstance(memory.get(key), int) for key in [*parts, "total_bytes"]):
        if sum(memory[key] for key in parts) != memory["total_bytes"]:
            wrong.append("total_bytes")
    times = whole.get("parts_s") if isinstance(whole, dict) else None
    if times and isinstance(whole.get("days"), (int, float)):
        values = [value for value in times.values() if isinstance(value, (int, float))]
        if not close(values, whole["days"] * 86400.0):
            wrong.append("days")
    return wrong


def refuse(constant):
    raise ValueError(constant)


def judge(words):
    try:
        text = run(words)
        if text.returncode not in (0, 1, 2, 3):
            return f"exit {text.returncode}: {text.stderr.strip()[:120]}"
        if text.returncode > 1:
            return None if text.stdout == "" and text.stderr.count("\n") == 1 else "a refusal of several lines"
        bad = BAD.search(text.stdout)
        if bad:
            line = text.stdout[: bad.start()].rsplit("\n", 1)[-1] + text.stdout[bad.start():].split("\n", 1)[0]
            return f"prints {bad.group(0)}: {line.strip()[:110]}"
        answer = json.loads(run([*words, "--format", "json"]).stdout, parse_constant=refuse)
        wrong = sums(answer)
        return f"parts differ from {wrong}" if wrong else None
    except subprocess.TimeoutExpired:
        return "no answer within a minute"
    except ValueError as error:
        return f"JSON: {error}"


settings = {command: [[[name, value] for value in VALUES] for name in options(command)] for command in BASES}
settings["estimate"] += [[["--lenient", "--set", f"device.{path}={value}"] for value in VALUES] for path in fields()]
cases = [base + one for command, base in BASES.items() for name in settings[command] for one in name]
chance = random.Random(28)
cases = chance.sample(cases, len(cases) // every)
for _ in range(pairs):
    command = chance.choice(list(BASES))
    first, second = chance.sample(settings[command], 2)
    words = chance.choice(first) + chance.choice(second)
    cases.append(BASES[command] + [word for i, word in enumerate(words) if word not in words[:i] or word != "--lenient"])
with ThreadPoolExecutor(2) as pool:
    faults = [(words, fault) for words, fault in zip(cases, pool.map(judge, cases)) if fault]
print(f"{len(cases)} commands, {len(faults)} faults")
for words, fault in faults[:40]:
    print(" ".join(words), "->", fault)
sys.exit(1 if faults or len(cases) < 5000 // every else 0)
