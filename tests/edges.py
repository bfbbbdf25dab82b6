#!/usr/bin/env python3
"""Tries the smallest and the largest legal value of every numeric option of estimate, run, serve and budget, one at a
time. With --set, the script also tries the smallest and the largest value of every numeric field of a device, a
software profile and a cluster.

Each command must print an answer or refuse the value. The text of an answer must have no NaN, no infinity, no number
above 1e40 and no positive number below 1e-40. The parts in a JSON document must add up to their total.

    usage: edges.py NNCOST EACH_LINE ROOT [COUNT [EVERY [SEED]]]
           EACH_LINE: the program that runs many command lines in one process (tests/each_line.c)
           COUNT: number of random pairs of these values that are tried as well; in 9 of 10 pairs, both values are
           accepted when given alone
           EVERY: tries only every EVERY-th value alone [1: all]
"""
import json
import math
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile

nncost, each_line, root = (os.path.abspath(path) for path in sys.argv[1:4])
pairs, every, seed = (int(word) for word in [*sys.argv[4:], *["0", "1", "28"][len(sys.argv) - 4:]])
os.environ["NNCOST_PATH"] = root
VALUES = ["0", "1", "2", "1e-320", "1e-308", "1e-300", "1e-12", "1e-6", "0.001", "0.5", "0.999999999", "3", "1000", "1e6", "1e9",
          "1e12", "1e15", "1e18", "1e30", "1e300", "1.7976931348623157e308", "-1", "nan", "inf"]
BASES = {
    "estimate": ["estimate", "llama3-8b", "h100", "--devices", "16", "--zero", "3"],
    "run": ["run", "gpt2", "a100", "--devices", "16", "--tokens", "1e10"],
    "serve": ["serve", "llama3-8b", "h100", "--batch", "8", "--input-len", "1024", "--output-len", "128"],
    "budget": ["budget", "--device", "h100", "--cost", "1e6"],
}
CHUNK = 100 # number of command lines per process
BAD = re.compile(r"(?<![\w.-])-?(nan|inf)(?![\w-])|\d(?:\.\d+)?e[+-]?(?:4\d|[5-9]\d|\d{3})", re.I)


def run(words):
    return subprocess.run([nncost, *words, "--no-defaults"], capture_output=True, text=True, timeout=60, check=False)


def options(command):
    text = run([command, "--help-all"]).stdout
    own = {word for word in BASES[command] if word.startswith("--")}
    return [name for name, _ in re.findall(r"^  (--[a-z0-9-]+) (N|X)\b", text, re.M) if name not in own | {"--arrivals"}]


def fields():
    """Returns the numeric fields of the device, as `show` prints them."""
    shown = json.loads(run(["show", "h100", "--format", "json"]).stdout)["fields"]
    return [row["field"] for row in shown if isinstance(row["value"], (int, float)) and row["field"] != "year"]


def close(parts, total):
    return math.isclose(math.fsum(parts), total, rel_tol=1e-9, abs_tol=1e-300)


def sums(document):
    """Returns the names of totals that differ from the sum of their parts."""
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


def judge(code, text, document):
    """Returns the fault in the answer to a command line; None if the answer has no fault."""
    if code not in (0, 2, 3):
        return f"exit {code}: {text[:120]}"
    if code > 0:
        return "a refusal of several lines" if "\n" in text else None
    bad = BAD.search(text)
    if bad:
        line = text[: bad.start()].rsplit("\n", 1)[-1] + text[bad.start():].split("\n", 1)[0]
        return f"prints {bad.group(0)}: {line.strip()[:110]}"
    try:
        wrong = sums(json.loads(document, parse_constant=refuse))
        return f"parts differ from {wrong}" if wrong else None
    except ValueError as error:
        return f"JSON: {error}"


def answers(process):
    """Returns exit code and text of each command line, and the JSON document if the command succeeds."""
    def one():
        header = process.stdout.readline().split()
        return (int(header[0]), process.stdout.read(int(header[1])).decode()) if header else (None, "")
    while True:
        code, text = one()
        if code is None:
            return
        yield code, text, one()[1] if code == 0 else ""


def ask(cases):
    """Yields the words of each command line, its exit code and the fault in its answer."""
    left = list(cases)
    while left:
        with tempfile.TemporaryFile("w+") as lines:
            lines.writelines("\t".join([*words, "--no-defaults"]) + "\n" for words in left)
            lines.seek(0)
            process = subprocess.Popen([each_line], stdin=lines, stdout=subprocess.PIPE)
            done = 0
            for words, answer in zip(left, answers(process)):
                done += 1
                yield words, answer[0], judge(*answer)
            process.stdout.close()
            process.wait()
        if done < len(left): # a signal ended the process, because of a fault or because no answer came within a minute
            yield left[done], process.returncode, f"signal {-process.returncode}"
            done += 1
        left = left[done:]


def ask_list(cases):
    return list(ask(cases))


def ask_pairs(chance):
    """Returns answers for CHUNK random pairs of values. In 9 of 10 pairs, each value is accepted when it is given
    alone."""
    cases = []
    for _ in range(CHUNK):
        command = chance.choice(list(BASES))
        first, second = chance.sample(list(good[command].values()) if chance.random() < 0.9 else settings[command], 2)
        words = chance.choice(first) + chance.choice(second)
        cases.append(BASES[command] + [word for i, word in enumerate(words) if word not in words[:i] or word != "--lenient"])
    return ask_list(cases)


settings = {command: [[[name, value] for value in VALUES] for name in options(command)] for command in BASES}
settings["estimate"] += [[["--lenient", "--set", f"device.{path}={value}"] for value in VALUES] for path in fields()]
alone = [(command, i, one) for command in BASES for i, name in enumerate(settings[command]) for one in name]
alone = random.Random(seed).sample(alone, len(alone) // every)
cases = [BASES[command] + one for command, _, one in alone]
good = {command: {} for command in BASES}
faults, accepted = [], 0
with multiprocessing.Pool(2) as pool:
    answered = sum(pool.imap(ask_list, [cases[i : i + CHUNK] for i in range(0, len(cases), CHUNK)]), [])
for (command, i, one), (words, code, fault) in zip(alone, answered):
    if code == 0:
        good[command].setdefault(i, []).append(one)
    if fault:
        faults.append((words, fault))
with multiprocessing.Pool(2) as pool: # created here, because the worker processes need `good`
    for some in pool.imap(ask_pairs, (random.Random(seed + i) for i in range(1, pairs // CHUNK + 1))):
        accepted += sum(code == 0 for _, code, _ in some)
        faults += [(words, fault) for words, _, fault in some if fault]
        if any(fault for _, _, fault in some):
            print(faults[-1], file=sys.stderr, flush=True) # printed now, because the test may run for hours
print(f"{len(answered)} values, {pairs // CHUNK * CHUNK} pairs, of which {accepted} are accepted, {len(faults)} faults")
for words, fault in faults[:40]:
    print(" ".join(words), "->", fault)
sys.exit(1 if faults or len(answered) < 5000 // every else 0)
