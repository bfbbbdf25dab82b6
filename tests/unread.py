#!/usr/bin/env python3
"""Tests that each option of each command, given alone, changes the answer or is refused.

The test does not compare the plan in the answer, because the plan repeats the options. Commands that show a part of an
estimate (PARTS) accept every option of the plan, although some options affect only other parts. With commands in PARTS,
the script tries only options that are not plan options.

    usage: unread.py NNCOST ROOT [EVERY]
           EVERY: one option of EVERY is tried with commands other than estimate, run, serve and budget [1: all]
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
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
PLAN = "llama3-8b h100 --devices 16 --zero 3"
FOUND = "gpt2 a100 --devices 16 --global-batch 32"
MORE = [line.split() for line in (
    f"advise {PLAN}", f"fit {PLAN}", "fit llama3-8b h100 --lora 8", f"ops {PLAN}", "op matmul 4096x4096x4096 h100",
    "op attention 8x32x4096x128 h100", "op conv 8x64x56x56x64x3 h100", "op all-reduce 1GB h100 --devices 16",
    "compare llama3-8b h100,a100 --devices 16 --zero 3", "sweep gpt2 a100,h100 --micro-batch 1,2", f"search {FOUND}",
    "scale gpt2 a100 --devices 1,16 --global-batch 32", "limit llama3-8b h100 --of data --devices 16",
    f"init {PLAN}", f"plot step {PLAN}", f"plot memory {PLAN}", f"plot roofline {PLAN}",
    "plot timeline llama3-8b h100 --devices 16 --pipeline 4", f"plot front {FOUND}", "report " + PLAN,
    "list models", "show llama3-8b", "show h100", f"explain step_s {PLAN}")]
PARTS = {"ops", "limit", "plot", "explain", "scale", "sweep", "fit", "advise"}
# For each command, the options that the test does not try. Some untried options affect another part of the estimate.
# Some untried options change nothing in this example, because every plan fits, because data loading needs a second
# option, or because the axes of a sweep are not known.
WHOLE = {"explain": {"--seller", "--offer", "--building", "--region", "--price"}, "limit": {"--power-cap"},
         "plot": {"--risk", "--cluster", "--sample-bytes", "--encode-s"}, "scale": {"--risk", "--cluster"},
         "sweep": {"--cluster", "--host", "--implementation"}}
# Options that accept only their default for this model and device.
ONLY_DEFAULT = {"--devices", "--devices-per-node", "--virtual-stages", "--expert", "--attention-data", "--sites"}
# Options for files, defaults or output are not an input of the computation. The list of untried options also contains
# options that few plans use.
OUTSIDE = {"--trace", "--measured", "--stages", "--timeline", "--full", "--brief", "--sensitivity", "--output", "--format", "--help", "--help-all", "--no-defaults", "--lenient", "--scenario", "--emit",
           "--ignore-memory", "--threads", "--progress", "--db", "--plans", "--shards"}
NUMBERS = ("1", "2", "3", "7", "0.5", "0.1", "1000", "1e6", "1e12")
TEXTS = {"--software": ("megatron", "sglang"), "--seller": ("aws", "lambda"), "--region": ("FR", "US"), "--host": ("1e-4",),
         "--set": ("device.mem_bytes_per_s=3e12",), "--power-cap": ("300",), "--implementation": ("transformers",),
         "--building": ("google",), "--cluster": (os.path.join(root, "clusters/dgx-a100-superpod.json"),),
         "--from": ("0.01s",), "--to": ("0.02s",), "--against": ("gpt2 a100",), "--deadline": ("1us", "1000d"),
         "--budget": ("1", "1e9"), "--target-step": ("0.01s",), "--max-memory": ("10GB", "1GB"), "--risk": ("1%", "50%"),
         "--where": ("mfu>0.9",), "--link": ("tensor=1,2;data=2,1",), "--columns": ("mfu",), "--by": ("mfu",),
         "--objective": ("memory", "cost"), "--kernel": ("math",), "--layout": ("contiguous",), "--date": ("today",),
         "--slo": ("ttft_s<=0.001",), "--draft": ("gpt2",), "--disaggregate": ("1:1",), "--device": ("a100",), "--arrivals": ("arrivals.csv",)}
with open("arrivals.csv", "w", encoding="utf-8") as file:
    file.write("arrival_s\n" + "\n".join(str(0.3 * i) for i in range(200)) + "\n")


def run(words):
    return subprocess.run([nncost, *words, "--no-defaults"], capture_output=True, text=True, timeout=60, check=False)


def bare(value):
    """Returns the answer without the members that repeat the options."""
    if isinstance(value, dict):
        return {key: bare(one) for key, one in value.items() if key not in ("plan", "command", "sentence", "overrides")}
    return [bare(one) for one in value] if isinstance(value, list) else value


def answer(words):
    done = run([*words, "--format", "json"])
    try:
        return done.returncode, [bare(json.loads(line)) for line in done.stdout.splitlines()]
    except json.JSONDecodeError:
        try:
            return done.returncode, bare(json.loads(done.stdout))
        except json.JSONDecodeError:
            return done.returncode, done.stdout


def values(option):
    """Returns the values to try, each as words of a command line."""
    name, kind = option["name"], option["kind"]
    if kind in ("whole", "number"):
        return [[name, value] for value in NUMBERS]
    if kind in ("switch", "flag"):
        return [[name], [name + "=off"]]
    if kind in ("choice", "flags"):
        return [[name, value] for value in option["choices"] or TEXTS.get(name, ())]
    return [[name, value] for value in TEXTS[name]]


commands = {command["name"]: command["options"] for command in json.loads(run(["docs", "options"]).stdout)["commands"]}
of_runs = {option["name"] for option in commands["run"]} - {option["name"] for option in commands["watch"]}
plan_options = {option["name"] for option in commands["estimate"] if option["field"]} - of_runs - {
    "--price", "--tokens", "--samples"}


def silent_one(job):
    """Returns the command and the option if no accepted value changes the answer; None if some value changes it, or if
    the option is refused."""
    base, reference, option = job
    taken, refused = set(), 0
    for words in values(option):
        code, text = answer([*base, *words])
        if code in (0, 1) and text != reference:
            return None
        if code in (0, 1):
            taken.add(words[-1])
        refused += code not in (0, 1)
    if not taken or refused and (option["kind"] not in ("whole", "number") or taken == {option["default"]}):
        return None  # every value except the default is refused
    return f"{' '.join(base[:2] + base[3:5])} {option['name']}"


jobs = []
for base in BASES + MORE:
    code, reference = answer(base)
    assert code in (0, 1), base
    part = base in MORE and base[0] in PARTS
    for number, option in enumerate(commands[base[0]]):
        name = option["name"]
        if name in base or name in ONLY_DEFAULT | OUTSIDE | WHOLE.get(base[0], set()) or part and name in plan_options:
            continue
        if base in BASES or (number + len(base[1])) % every == 0:
            jobs.append((base, reference, option))
with ThreadPoolExecutor(2) as workers:
    silent = [fault for fault in workers.map(silent_one, jobs) if fault]
tried = len(jobs)
# Options that must be refused: --preempt=off for engines that always preempt, and a seed or a rate for recorded
# requests, because these requests have their own lengths and times.
SERVE = ["serve", "llama3-8b", "h100"]
for words in ([*SERVE, "--concurrency", "8", "--preempt=off"], [*SERVE, "--arrivals", "arrivals.csv", "--seed", "2"],
              [*SERVE, "--arrivals", "arrivals.csv", "--request-rate", "7"]):
    tried += 1
    if answer(words)[0] != 2:
        silent.append(" ".join(words))
print(f"{tried} options, {len(silent)} change nothing and are not refused: {', '.join(silent)}")
sys.exit(1 if silent or tried < 200 else 0)
