#!/usr/bin/env python3
"""Writes plans of default searches as launch files, reads them again, and compares the estimates.

usage: round_trip.py NNCOST [PLANS] [FORMAT...]    PLANS: of each format [1000]

'nncost check --emit' writes the best plans of random searches as launch files; the seed is fixed. A second plan file
names these launch files as models, and its estimates must have the same step time, memory and parameters in all digits.
nncost must write at least 95 % of the plans; if it cannot write a plan, its message must name an option. 'nncost check
--emit' must write the best plan of each search as a launch file, and this plan must fit in memory.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

# Launch files of the formats in this list do not name the model. For these formats, options state the model, and the
# values that only the training program sets.
APART = {"accelerate", "deepspeed"}
MODELS = {
    "megatron": ["llama2-7b", "llama3-8b", "llama3-70b", "gpt3-175b", "gpt2-xl", "qwen3-8b", "mixtral-8x7b", "deepseek-v3",
                 "Qwen/Qwen3-30B-A3B"],
    "torchtitan": ["llama3-8b", "llama3-70b", "llama3-405b", "qwen3-8b", "deepseek-v3", "Qwen/Qwen3-30B-A3B"],
    "maxtext": ["llama2-7b", "llama3-8b", "llama3-70b", "mixtral-8x7b", "deepseek-v3"],
    "nanotron": ["llama2-7b", "llama3-8b", "llama3-70b", "Qwen/Qwen2.5-7B"],
}
OTHERS = ["llama3-8b", "llama2-7b", "qwen3-8b", "gpt2-xl", "Qwen/Qwen3-30B-A3B", "mistral-7b"]
# Options that a user may add to a default search. A search that the format or the device refuses does not count in the
# test.
ALSO = [[], [], [], ["--seq-len", "2048"], ["--precision", "fp8"], ["--precision", "fp16"], ["--precision", "fp32"],
        ["--clip-gradients=off"], ["--optimizer", "sgd"], ["--optimizer", "adam8bit"], ["--context", "2"], ["--recompute", "full"], ["--pipeline", "2"]]
ADAPTERS = [["--adapter-rank", "16"], ["--adapter-rank", "8", "--adapters", "attention", "--frozen", "nf4"]]
FORMATS = ["megatron", "torchtitan", "maxtext", "nanotron", "axolotl", "llama-factory", "transformers", "accelerate", "deepspeed"]
SUFFIX = {"megatron": ".sh", "torchtitan": ".toml", "deepspeed": ".json", "transformers": ".json"}
PER_SEARCH = 20


def run(nncost, *words):
    return subprocess.run([nncost, *map(str, words)], capture_output=True, text=True, check=False)


def value_of(text):
    """Returns the value of an option as JSON: a number, true, false, or the text."""
    try:
        return True if text is True else {"on": True, "off": False}[text] if text in ("on", "off") else json.loads(text)
    except ValueError:
        return text


def scenario(command, name):
    """Converts 'nncost estimate MODEL DEVICE --option value' to a scenario of a plan file."""
    words = shlex.split(command)
    one = {"id": name, "model": words[2], "device": words[3]}
    at = 4
    while at < len(words):
        key = words[at].lstrip("-").replace("-", "_")
        if "=" in key:
            key, value = key.split("=", 1)
        elif at + 1 < len(words) and not words[at + 1].startswith("--"):
            at += 1
            value = words[at]
        else:
            value = True
        if key == "set":
            one.setdefault("set", {})[value.split("=", 1)[0]] = value_of(value.split("=", 1)[1])
        else:
            one[key] = value_of(value)
        at += 1
    return one


def searched(nncost, launch, count, folder):
    """Returns scenarios of the plans that default searches print, and the faults of the best plans."""
    draw = random.Random(31)
    plans, faults, searches = [], [], 0
    for _ in range(20 * count):
        if len(plans) >= count:
            break
        model = draw.choice(MODELS.get(launch, OTHERS))
        devices = draw.choice([1, 4, 8, 16, 32, 64, 128, 256, 512])
        device = draw.choice(["h100", "h200", "b200", "a100"])
        batch = devices * draw.choice([4, 16, 64] if launch in MODELS else [64, 256, 1024])
        also = draw.choice(ALSO + (ADAPTERS if launch in ("axolotl", "llama-factory") else []))
        found = run(nncost, "search", model, device, "--devices", devices, "--global-batch", batch, *also,
                    "--best", PER_SEARCH, "--emit", f"{launch}={folder}/best", "--format", "json")
        if found.returncode == 1 and not json.loads(found.stdout)["best"]:
            continue  # no plan of this search fits
        if found.returncode != 0 and also and ": --" in found.stderr:
            continue  # the format or the device refuses an added option
        searches += 1
        if found.returncode != 0:
            faults.append(f"{launch}: best plan of {model} on {devices} x {device}: {found.stderr.strip()}")
            continue
        best = json.loads(found.stdout)["best"]
        if launch not in APART:
            asked = ["--devices", devices]
            if launch not in ("megatron", "nanotron"):
                asked += ["--software", best[0]["software"]]
            file = folder / f"best{SUFFIX.get(launch, '.yaml')}"
            (folder / "best").rename(file)
            read = run(nncost, "estimate", file, device, *asked, "--format", "json")
            if read.returncode != 0 or json.loads(read.stdout)["step"]["step_s"] != best[0]["step_s"]:
                faults.append(f"{launch}: file of the best plan is read as another: {best[0]['command']} {read.stderr}")
        for one in best:
            plans.append(scenario(one["command"], f"p{len(plans)}"))
    return plans[:count], faults, searches


def recorded(path):
    kept = json.loads(path.read_text())["recorded"]["estimates"]
    return {name: {key: one[key] for key in ("step", "memory") if key in one} for name, one in kept.items()}


def check(nncost, launch, count):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "files").mkdir()
        plans, faults, searches = searched(nncost, launch, count, folder)
        first = folder / "plans.json"
        first.write_text(json.dumps({"schema": "nncost.plans/1", "scenarios": plans}))
        done = run(nncost, "check", first, "--update", "--emit", f"{launch}={folder}/files/")
        was = recorded(first)
        refused = [line for line in done.stderr.splitlines() if line.startswith("nncost: p")]
        written = {one.stem for one in (folder / "files").iterdir()}
        if len(written) + len(refused) != len(plans):
            faults.append(f"{launch}: {len(plans)} plans, {len(written)} written, {len(refused)} refused: {done.stderr[-400:]}")
        named = [one.name for one in (folder / "files").iterdir() if name in one.read_text()]
        faults += [f"{launch}: has the folder of the plan file: {one}" for one in named[:3]]
        faults += [f"{launch}: names no option: {line}" for line in refused if ": --" not in line]
        if len(written) < 0.95 * len(plans):
            faults.append(f"{launch}: only {len(written)} of {len(plans)} written, such as {refused[:3]}")
        if launch not in APART and written:
            kept = [one for one in plans if one["id"] in written]
            again = [{"id": one["id"], "device": one["device"], "model": f"files/{one['id']}{SUFFIX.get(launch, '.yaml')}"} for one in kept]
            for one, other in zip(again, kept):
                for key in ("software", "devices") if launch not in ("megatron", "nanotron") else ():
                    one.update({key: other[key]} if key in other else {})
            second = folder / "again.json"
            second.write_text(json.dumps({"schema": "nncost.plans/1", "scenarios": again}))
            done = run(nncost, "check", second, "--update")
            if done.returncode != 0:
                raise SystemExit(f"{launch}: {done.stderr}")
            now = recorded(second)
            other = [name for name in now if was[name] != now[name]]
            if other:
                faults.append(f"{launch}: read as another plan: {other[:5]} of {len(other)}")
        return launch, len(plans), len(written), searches, faults


def main():
    nncost = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    formats = sys.argv[3:] or FORMATS
    faults = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for launch, plans, written, searches, own in pool.map(lambda one: check(nncost, one, count), formats):
            print(f"{launch}: {written} of {plans} plans of {searches} searches")
            faults += own
    for fault in faults[:20]:
        print(fault[:300], file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
