#!/usr/bin/env python3
"""Tests that nncost refuses numbers with a wrong unit. Multiplies each number of a device, software or cluster file by
1e-9, 1e-6, 1e-3, 1e3, 1e6 and 1e9. In a second test, the script changes random numbers of random devices, for plans of
all kinds. If a changed number makes a step at least twice as long, or at most half as long, nncost must refuse the
file. nncost must accept each shipped device.

    usage: slips.py NNCOST ROOT [EVERY]      tries one case of EVERY, drawn with a fixed seed [1: all]
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
drawn = random.Random(281)
os.environ["NNCOST_PATH"] = root


def powers():
    """Returns the powers of 10 by which a number is multiplied."""
    return [power for power in (-9, -6, -3, 3, 6, 9) if drawn.random() * every < 1]


def run(words):
    return subprocess.run([nncost, *words, "--no-defaults"], capture_output=True, text=True, timeout=60, check=False)


def step_s(words):
    done = run([*words, "--format", "json"])
    return json.loads(done.stdout)["step"]["step_s"] if done.returncode in (0, 1) else None


faults, tried = [], 0
for device in ("h100", "a100", "tpu-v5p"):
    base = ["estimate", "llama3-8b", device, "--devices", "16", "--zero", "3"]
    usual = step_s(base)
    for row in json.loads(run(["show", device, "--format", "json"]).stdout)["fields"]:
        field, value = row["field"], row["value"]
        if not isinstance(value, (int, float)) or not value:
            continue
        for power in powers():
            tried += 1
            step = step_s([*base, "--set", f"device.{field}={value * 10.0 ** power:.17g}"])
            if step is not None and not 0.5 < step / usual < 2:
                faults.append(f"{device}: {field} x 1e{power}: step x {step / usual:.3g}, not refused")
# Changes random numbers of random devices.
KINDS = [["estimate", "llama3-8b", "--devices", "16", "--tensor", "8", "--pipeline", "2", "--micro-batches", "4"],
         ["estimate", "gpt2"], ["estimate", "resnet-50", "--devices", "32", "--micro-batch", "32"],
         ["estimate", "mixtral-8x7b", "--devices", "64", "--expert", "8", "--zero", "1"],
         ["estimate", "gpt2-xl", "--devices", "8", "--software", "torch-eager"],
         ["serve", "llama3-8b", "--batch", "8"], ["serve", "llama3-70b", "--tensor", "8", "--batch", "8"]]


def kind_s(words):
    done = run([*words, "--format", "json"])
    answer = json.loads(done.stdout) if done.returncode in (0, 1) else None
    return answer and (answer["latency"]["tpot_s"] if words[0] == "serve" else answer["step"]["step_s"])


chance = random.Random(28)
numbers = {path.stem: [row for row in json.loads(run(["show", path.stem, "--format", "json"]).stdout)["fields"]
                       if isinstance(row["value"], (int, float)) and row["value"]]
           for path in sorted(Path(root, "hw").glob("*.json"))}
for _ in range(1500 // every):
    device, kind = chance.choice(sorted(numbers)), chance.choice(KINDS)
    row, factor = chance.choice(numbers[device]), chance.choice([1e-9, 1e-6, 1e-3, 1 / 1024, 1024, 1e3, 1e6, 1e9])
    words = [kind[0], kind[1], device, *kind[2:]]
    slipped = kind_s([*words, "--set", f"device.{row['field']}={row['value'] * factor:.17g}"])
    tried += 1
    usual = slipped and kind_s(words)
    if usual and not 0.5 < slipped / usual < 2:
        faults.append(f"{' '.join(words)}: {row['field']} x {factor:g}: x {slipped / usual:.3g}, not refused")
# Runs the same test with software profiles and cluster files, and changes one number of a file at a time.
files = [(kind, path) for kind in ("software", "clusters") for path in sorted(Path(root, kind).glob("*.json"))]
for kind, path in files:
    text = path.read_text(encoding="utf-8")
    option = "--software" if kind == "software" else "--cluster"
    base = ["estimate", "llama3-8b", "a100", "--devices", "16", "--zero", "3"]
    usual = step_s([*base, option, str(path)])
    for match in re.finditer(r'"(\w+)": (\d[\d.e+-]*)(?=[,\s}])', text):
        if usual is None or match[1] in ("rows", "unseen", "error", "bias", "low", "high") or not float(match[2]):
            continue
        for power in powers():
            tried += 1
            changed = os.path.join(tempfile.gettempdir(), f"slip-{os.getpid()}", path.name)
            os.makedirs(os.path.dirname(changed), exist_ok=True)
            with open(changed, "w", encoding="utf-8") as file:
                file.write(text[:match.start(2)] + f"{float(match[2]) * 10.0 ** power:.17g}" + text[match.end(2):])
            step = step_s([*base, option, changed])
            if step is not None and not 0.5 < step / usual < 2:
                faults.append(f"{path.name}: {match[1]} x 1e{power}: step x {step / usual:.3g}, not refused")
devices = sorted(path.stem for path in Path(root, "hw").glob("*.json"))
for device in devices:
    done = run(["serve", "gpt2", device, "--batch", "1", "--input-len", "8", "--output-len", "8"])
    if "implausible" in done.stderr:
        faults.append(f"{device}: {done.stderr.strip()}")
# With --lenient, every output has the mark "implausible", and has no range and no error of measured rows.
LENIENT = ["--set", "device.mem_bytes_per_s=3.35e9", "--lenient"]
for words in (["estimate", "llama3-8b", "h100"], ["run", "llama3-8b", "h100", "--days", "3"], ["serve", "llama3-8b", "h100"],
              ["serve", "llama3-8b", "h100", "--concurrency", "4"], ["ops", "llama3-8b", "h100"], ["explain", "step_s", "llama3-8b", "h100"],
              ["compare", "llama3-8b", "h100", "--devices", "8", "--zero", "0,1"], ["sweep", "llama3-8b", "h100", "--zero", "0,3", "--devices", "16", "--all"],
              ["scale", "llama3-8b", "h100", "--devices", "8,16"], ["search", "llama3-8b", "h100", "--devices", "8"],
              ["limit", "llama3-8b", "h100", "--of", "tensor"]):
    for output in ("table", "json", "csv", "markdown"):
        text = run([*words, *LENIENT, "--format", output]).stdout
        if "implausible" not in text or re.search("90 % range|unseen|that no fit has|not used by any fit|interval_s\": \\[\\d", text):
            faults.append(f"{' '.join(words)} as {output}: not marked, or with a range")
print(f"{tried} slips, {len(devices)} devices, {len(faults)} faults")
print("\n".join(faults))
sys.exit(1 if faults or tried < 2000 // every else 0)
