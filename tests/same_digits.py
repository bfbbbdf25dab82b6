#!/usr/bin/env python3
"""Tests the commands search, advise, fit, limit, scale, compare and run. The time and memory that each of these
commands prints for a plan must be those that 'nncost estimate' prints for this plan.

    usage: same_digits.py PROGRAM ROOT [COUNT] [SEED]

Calls each command COUNT times with random models, devices and profiles. Estimates every plan in the output of a
command, with the options of the call and the options that the output names.
"""
import json
import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

PROGRAM, ROOT = (str(Path(argument).resolve()) for argument in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 40
rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent", "NNCOST_PATH": ROOT}
MODELS, DEVICES, PROFILES = (sorted(path.stem for path in Path(ROOT, folder).glob("*.json")) for folder in ("models", "hw", "software"))
RELEASES = [id for id in PROFILES if "date" in json.loads(Path(ROOT, "software", f"{id}.json").read_text())]
OPTIONS = [  # option, its values, and the share of calls that have the option
    ("--software", [*PROFILES, "any"], 0.5),
    ("--precision", ["bf16", "fp16", "fp32", "tf32", "fp8"], 0.3),
    ("--optimizer", ["adam8bit", "sgd", "adafactor", "lion", "muon", "galore"], 0.3),
    ("--adapter-rank", ["16"], 0.2),
    ("--train-layers", ["2"], 0.15),
    ("--global-batch", ["8", "16", "64"], 0.5),
]
OF_A_PLAN = [  # further options for commands about one plan
    ("--software", RELEASES, 0.5),
    ("--zero", ["1", "2", "3"], 0.3),
    ("--micro-batch", ["1", "2", "4", "16"], 0.6),
    ("--recompute", ["attention", "full", "norm,activation"], 0.3),
    ("--policy", ["mixed", "amp", "bf16-pure"], 0.15),
    ("--attention", ["unfused", "flash2"], 0.15),
    ("--seq-len", ["512", "2048"], 0.15),
]


def document(words):
    done = subprocess.run([PROGRAM, *words, "--format", "json"], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode < 2 and done.stdout else None


def changed(words, options):
    """Returns the words with further options, which replace options of the same name."""
    words, options = list(words), [{"--lora": "--adapter-rank"}.get(word, word) for word in options]
    names = {word.split("=")[0] for word in options if word.startswith("--")} - {"--set"}
    for at in reversed([i for i, word in enumerate(words) if word.split("=")[0] in names]):
        del words[at:at + (2 if at + 1 < len(words) and not words[at + 1].startswith("--") else 1)]
    return [*words, *options]


def drawn(options):
    words = []
    for option, values, share in options:
        if rng.random() < share:
            words = changed(words, [option, rng.choice(values)])
    return words


def degrees():
    words = ["--devices", rng.choice(["1", "2", "4", "8", "16", "64"])]
    if rng.random() < 0.5:
        words += [rng.choice(["--tensor", "--pipeline", "--context"]), "2"]
    return words


def plan(*without):
    """Draws a model, a device and options of a plan, without the options named in `without`."""
    words = [rng.choice(MODELS), rng.choice(DEVICES), *changed(degrees(), drawn([*OPTIONS[1:5], *OF_A_PLAN]))]
    for name in without:
        words = [word for i, word in enumerate(words) if word != name and (i == 0 or words[i - 1] != name)]
    return words


# Each command has two functions. One function draws random arguments of the command. The second function yields, for
# each plan in the answer of the command, the arguments of an estimate of this plan, and the printed time and memory
# (None: not printed).


def searched(words, answer):
    for one in answer["best"][:3]:
        yield shlex.split(one["command"])[2:], one["step_s"], one["memory_bytes"]


def advised(words, answer):
    yield words, answer["step_s"], answer["total_bytes"]
    for one in answer["changes"]:
        yield changed(words, shlex.split(one["options"])), one["step_s"], one["total_bytes"]


def fitted(words, answer):
    most = answer["micro_batch"]
    if most > 0:
        yield changed(words, ["--micro-batch", str(most)]), answer["step_s"], answer["total_bytes"]
    for one in answer["remedies"]:
        options = shlex.split(one["options"])
        if "--data" not in options or "--devices" not in words:
            batch = min(most, one["micro_batch"]) or one["micro_batch"]
            yield changed(words, [*options, "--micro-batch", str(batch)]), one["step_s"], one["total_bytes"]


def limited(words, answer):
    words = words[:words.index("--of")]
    # all plans have the profile of the first plan, so --software must name this profile; but in an estimate, --software
    # also sets plan fields of a release
    if "--software" not in words:
        return
    for one in answer["curve"]:
        yield changed(words, ["--" + answer["of"], str(one["size"])]), one["step_s"], None


def scaled(words, answer):
    for one in answer["sizes"]:
        if one["step_s"] is not None:
            yield shlex.split(one["command"])[2:], one["step_s"], one["memory_bytes"]


def compared(words, answer):
    for one, values in zip(answer["rows"], [(zero, batch) for zero in "013" for batch in "12"]):
        yield changed(words, ["--zero", values[0], "--micro-batch", values[1]]), one["step"]["step_s"], one["memory"]["total_bytes"]


def of_run(words, answer):
    yield words, answer["run"]["step_s"], answer["memory"]["total_bytes"]


COMMANDS = {
    "search": (lambda: [rng.choice(MODELS), rng.choice(DEVICES), "--devices", rng.choice(["1", "2", "4", "8", "16"]), "--threads", "1",
                        *drawn(OPTIONS)], searched),
    "advise": (plan, advised),
    "fit": (plan, fitted),
    "limit": (lambda: [*plan("--devices", "--tensor", "--context"), "--of", rng.choice(["tensor", "context"])], limited),
    "scale": (lambda: [rng.choice(MODELS), rng.choice(DEVICES), "--devices", "1,2,8", "--threads", "1", *drawn(OPTIONS)], scaled),
    "compare": (lambda: changed(plan(), ["--software", rng.choice(RELEASES), "--zero", "0,1,3", "--micro-batch", "1,2"]), compared),
    "run": (lambda: [*plan(), "--days", "1"], of_run),
}

faults, tally = [], []


def tested(command, words, found):
    """Compares the plans of an answer with their estimates."""
    for options, step_s, total_bytes in found:
        said = document(["estimate", *options])
        if said is None:
            faults.append(f"{command} {shlex.join(words)}: {shlex.join(options)} is refused")
        elif not abs(said["step"]["step_s"] - step_s) <= 1e-9 * step_s or total_bytes not in (None, said["memory"]["total_bytes"]):
            faults.append(f"{command} {shlex.join(words)}: {step_s} s, {total_bytes} B; {shlex.join(options)}: "
                          f"{said['step']['step_s']} s, {said['memory']['total_bytes']} B")


# With DeepSpeed, the host needs other times with each ZeRO stage. Steps of short sequences wait for the host.
words = ["llama3-8b", "a100-sxm4-80gb", "--devices", "8", "--global-batch", "16", "--seq-len", "128", "--threads", "1",
         "--software", "deepspeed-0.14", "--best", "60"]
answer = document(["search", *words])
tested("search", words, [(shlex.split(one["command"])[2:], one["step_s"], one["memory_bytes"]) for one in answer["best"]])
for command, (ask, plans_of) in COMMANDS.items():
    questions = plans = tries = 0
    while questions < COUNT and tries < 40 * COUNT:
        tries += 1
        words = ask()
        answer = document([command, *words])
        found = [] if answer is None else list(plans_of(words, answer))
        questions += bool(found)
        plans += len(found)
        tested(command, words, found)
    tally.append(f"{plans} of {command}")
    if plans < COUNT:
        faults.append(f"{command}: only {plans} plans")
print(*faults, sep="\n")
print(f"plans: {', '.join(tally)}; {len(faults)} faults")
sys.exit(bool(faults))
