#!/usr/bin/env python3
"""Each option of estimate, run, serve and budget, given alone, changes the answer or is refused.

    usage: unread.py NNCOST ROOT
"""
import json
import os
import re
import subprocess
import sys
import tempfile

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.environ["NNCOST_PATH"] = root
os.chdir(tempfile.mkdtemp())
BASES = [
    ["estimate", "mixtral-8x7b", "h100", "--devices", "64", "--expert", "4", "--zero", "1", "--devices-per-node", "2",
     "--software", "torch-eager"],
    ["run", "llama3-8b", "h100", "--devices", "16", "--zero", "3", "--tokens", "1e12"],
    ["serve", "llama3-8b", "h100", "--batch", "8", "--tensor", "2", "--input-len", "1024", "--output-len", "128"],
    ["serve", "llama3-70b", "h100", "--request-rate", "0.3", "--tensor", "8", "--input-len", "16000", "--output-len", "4000",
     "--requests", "300", "--software", "tensorrt-llm"],
    ["serve", "sd1-unet", "h100", "--steps", "30"],
    ["budget", "--device", "h100", "--cost", "1e6"],
    ["budget", "--flops", "1e21"],
]
# Taken, and legal with the default alone for this model and device.
ONLY_DEFAULT = {"--virtual-stages", "--expert", "--attention-data", "--sites"}
# About the files, the defaults or the output, and no input of the computation; or read by few plans alone.
OUTSIDE = {"--trace", "--measured", "--stages", "--timeline", "--full", "--brief", "--sensitivity", "--output", "--format", "--help", "--help-all", "--no-defaults", "--lenient", "--from", "--scenario", "--emit"}
NUMBERS = ("1", "2", "3", "7", "0.5", "0.1", "1000", "1e6", "1e12")
TEXTS = {"--software": ("megatron", "sglang"), "--seller": ("aws", "lambda"), "--region": ("FR", "US"), "--host": ("1e-4",),
         "--set": ("device.mem_bytes_per_s=3e12",), "--power-cap": ("400",), "--implementation": ("transformers",),
         "--building": ("google",), "--cluster": (os.path.join(root, "clusters/dgx-a100-superpod.json"),),
         "--draft": ("gpt2",), "--disaggregate": ("1:1",), "--device": ("a100",), "--arrivals": ("arrivals.csv",)}
with open("arrivals.csv", "w", encoding="utf-8") as file:
    file.write("arrival_s\n" + "\n".join(str(0.3 * i) for i in range(200)) + "\n")


def run(words):
    return subprocess.run([nncost, *words, "--no-defaults"], capture_output=True, text=True, timeout=60, check=False)


def answer(words):
    done = run([*words, "--format", "json"])
    return done.returncode, re.sub(r'"(command|sentence|overrides)": ?("[^"]*"|null)', "", done.stdout)


def values(option):
    """Command-line words of each value that is tried."""
    name, kind = option["name"], option["kind"]
    if kind in ("whole", "number"):
        return [[name, value] for value in NUMBERS]
    if kind in ("switch", "flag"):
        return [[name], [name + "=off"]]
    if kind in ("choice", "flags"):
        return [[name, value] for value in option["choices"] or TEXTS.get(name, ())]
    return [[name, value] for value in TEXTS[name]]


commands = {command["name"]: command["options"] for command in json.loads(run(["docs", "options"]).stdout)["commands"]}
silent, tried = [], 0
for base in BASES:
    code, reference = answer(base)
    assert code in (0, 1), base
    for option in commands[base[0]]:
        if option["name"] in base or option["name"] in ONLY_DEFAULT | OUTSIDE:
            continue
        tried += 1
        taken = refused = 0
        for words in values(option):
            code, text = answer([*base, *words])
            if code in (0, 1) and text != reference:
                taken = 0  # it changes the answer
                break
            taken, refused = taken + (code in (0, 1)), refused + (code not in (0, 1))
        closed = option["kind"] not in ("whole", "number") and refused  # all but the default is refused
        if taken and not closed:
            silent.append(f"{' '.join(base[:1] + base[3:5])} {option['name']}")
# Engines that always preempt; recorded requests, which have no random lengths and their own rate.
SERVE = ["serve", "llama3-8b", "h100"]
for words in ([*SERVE, "--concurrency", "8", "--preempt=off"], [*SERVE, "--arrivals", "arrivals.csv", "--seed", "2"],
              [*SERVE, "--arrivals", "arrivals.csv", "--request-rate", "7"]):
    tried += 1
    if answer(words)[0] != 2:
        silent.append(" ".join(words))
print(f"{tried} options, {len(silent)} change nothing and are not refused: {', '.join(silent)}")
sys.exit(1 if silent or tried < 200 else 0)
