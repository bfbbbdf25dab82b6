#!/usr/bin/env python3
"""Tests the first screen that 'nncost estimate' prints, and the changes of a plan that nncost proposes (advice).

    usage: first_screen.py PROGRAM

The screen must have at most 20 lines of 80 columns, begin with the verdict, and name every value that --set changed.
Every command that accepts --set must name the changed values in its answer; if the answer is a table, in its first
lines. If the screen, 'nncost serve' or 'nncost advise' proposes a change, an estimate of the changed plan must give the
proposed step time and memory."""
import json
import os
import shlex
import subprocess
import sys

PLANS = """gpt2 a100
gpt2 a100 --micro-batch 16 --precision fp32
gpt2-xl a100 --micro-batch 4 --software torch-eager
gpt2 t4 --precision fp32
t5-large trainium2 --micro-batch 8
llama3-8b rtx-3060
gpt2-xl v100 --recompute full
llama3-8b h100 --set layers=4
llama3-8b h100 --set layers=4 --set hidden=2048 --set vocab=50000
llama3-8b rtx4090 --lora 16
llama3-70b h100 --devices 8 --qlora 32 --zero 3
llama3-8b h100 --devices 8 --zero 3 --precision fp8 --micro-batch 2
sdxl rtx4090 --micro-batch 4
TinyLlama/TinyLlama-1.1B-Chat-v1.0 t4 --qlora 16
llama3-8b rtx4090 --qlora 16 --recompute full --seq-len 2048
llama3-8b rtx4090
llama3-8b h100 --devices 8 --zero 3
llama3-8b h100 --devices 64 --zero 1 --micro-batch 2 --tokens 1T
llama3-8b h100 --devices 64 --zero 1 --recompute full --global-batch 128
llama3-70b h100 --devices 64 --tensor 8 --zero 1 --pipeline 2 --global-batch 64 --recompute full --tokens 1T
llama3-70b h100 --devices 16 --tensor 8 --sequence-parallel --offload optimizer
llama3-70b h100 --lora 16
llama3-70b b200 --devices 8 --zero 3 --precision fp8
mixtral-8x7b a100 --lora 16 --frozen nf4
mixtral-8x7b h100 --devices 16 --expert 8 --zero 1
deepseek-v3 h100 --devices 256 --pipeline 16 --expert 16 --zero 1 --micro-batches 32 --recompute full
llama3-405b h100 --devices 1024 --tensor 8 --pipeline 16 --zero 1
gpt3-175b a100 --devices 1024 --tensor 8 --pipeline 16 --virtual-stages 3 --global-batch 1536 --recompute selective
resnet-50 a100 --micro-batch 256
resnet-50 v100 --mode ideal
unet v100
unet-classic a100 --micro-batch 8
vit-b-16 h100 --micro-batch 128
whisper-base h100 --micro-batch 32
bert-large a100 --micro-batch 64 --measured 0.4s
llama3-8b v5e --devices 16 --zero 3
llama3-8b mi300x --devices 8 --zero 3
gpt2 a100 --price 100 --seller aws
gpt2 h100 --set device.mem_bytes=8GB --optimizer sgd
llama2-7b l40s --devices 4 --zero 2 --seq-len 4096 --measured 3s""".split("\n")

SERVED = """llama3-8b h100
llama3-8b h100 --batch 4
llama3-70b h100
llama3-70b h100 --devices 4
llama3-70b a100 --devices 8 --tensor 1
llama3-8b rtx4090
deepseek-v3 h100 --devices 16
mixtral-8x7b a100""".split("\n")

# Tables that leave out columns on a terminal of 80 columns. Commands that a user copies stay on one line, even if they
# are longer than 80 columns.
TABLES = """search llama3-8b a100,h100,b200 --devices 8..64*2 --tokens 100B
search llama3-8b h100 --devices 8 --global-batch 64
search llama3-70b h100 --serve --devices 8
compare llama3-8b h100,l40s,a100 --serve
sweep llama3-8b h100 --devices 8 --tensor 1,2,4,8 --serve
scale llama3-8b h100 --devices 8,64,512 --global-batch 512
fit llama3-8b h100 --devices 8 --zero 3
advise llama3-8b h100 --devices 8 --zero 3
limit llama3-8b h100 --of tensor
limit llama3-8b h100 --of batch
ops llama3-8b h100 --top 10
run llama3-8b h100 --devices 64 --zero 2 --tokens 1T
serve llama3-8b h100 --batch 32
list devices h100""".split("\n")

# Common mistakes on the command line, and a text that the answer must contain.
SLIPS = {"estimate gpt2 rtx 3060 laptop": 'the name has several words, expected quotes around the name: "rtx 3060 laptop"',
         "fit gpt2 h100 a100": "nncost compare gpt2 h100,a100",
         "estimate gpt2 a100 please": "please: one argument too many",
         "estimate gpt2 8xh100": '"h100 --devices 8"',
         "estimate gpt2 'h100 x 8'": '"h100 --devices 8"',
         "estimate gpt2 8 h100": "h100 --devices 8",
         "serve llama3-8b h100 --ttft 0.5": "'nncost search --serve' with --slo 'ttft_s<=X'"}

# Commands whose answer depends on a changed field. The test appends "llama3-8b h100 --set layers=4" to each command.
SET = """estimate
ops
compare
fit
advise
run --devices 64 --tokens 1T
serve
sweep --micro-batch 1,2
search --devices 8
scale --devices 8,64
explain step_s
report
plot step
plot memory
plot roofline
plot timeline --devices 4 --pipeline 4 --micro-batches 8
plot front --devices 8 --global-batch 64
plot scaling --devices 8,64 --global-batch 512""".split("\n")


def run(program, *words, **environment):
    done = subprocess.run([program, *words, "--no-defaults"], capture_output=True, text=True,
                          env=dict(os.environ, COLUMNS="80", LC_ALL="C"))
    return done.stdout, done.stderr


def exits(program, *words):
    return subprocess.run([program, *words, "--no-defaults"], capture_output=True, text=True).returncode


def verdict_faults(program, plan):
    """Compares the verdicts that several commands give for a plan, and returns the differences as faults."""
    words, faults = plan.split(), []
    for option in ("--measured", "--tokens"):
        if option in words:
            at = words.index(option)
            del words[at:at + 2]
    one = json.loads(run(program, "estimate", *words, "--format", "json")[0])["memory"]
    if (one["fit"] == "does_not_fit") == one["fits"]:
        faults.append(f"{plan}: fits {one['fits']}, fit {one['fit']}")
    sentence = json.loads(run(program, "estimate", *words, "--format", "json")[0])["sentence"]
    if one["advice"] and len(one["advice"][0]["text"]) <= 48 and f"with {one['advice'][0]['text']}." not in sentence:
        faults.append(f"{plan}: {sentence}")
    shortens = ["--seq-len" in change["text"].split() for change in one["advice"] or []]
    if shortens != sorted(shortens):
        faults.append(f"{plan}: advice with shorter sequences comes before advice that keeps them")
    code = 0 if one["fits"] else 1
    others = {"estimate": [], "compare": [], "report": [], "run": ["--tokens" if one_has_tokens(program, words) else "--samples", "1G"]}
    for command, more in others.items():
        found = exits(program, command, *words, *more)
        if found != code:
            faults.append(f"{plan}: {command} exits with {found}, and the plan {one['fit']}")
    row = json.loads(run(program, "compare", *words, "--format", "json")[0])["rows"][0]["memory"]
    if row["fit"] != one["fit"]:
        faults.append(f"{plan}: {row['fit']} in compare, {one['fit']} in estimate")
    for option in ("--price", "--seller"):  # 'nncost fit' prints no cost
        if option in words:
            at = words.index(option)
            del words[at:at + 2]
    if one["fits"] and "--global-batch" not in words and "--micro-batch" not in words and exits(program, "fit", *words):
        faults.append(f"{plan}: {one['fit']} in estimate, and fit exits with 1")
    return faults


def one_has_tokens(program, words):
    return json.loads(run(program, "estimate", *words, "--format", "json")[0])["plan"]["seq_len"] is not None


def main(program):
    faults, screens, changes, served = [], 0, 0, 0
    for plan in PLANS:
        words = plan.split()
        out, error = run(program, "estimate", *words)
        if error:
            print(f"skipped: {plan}: {error.strip()}")
            continue
        lines = out.splitlines()
        screens += 1
        if len(lines) > 20 or max(map(len, lines)) > 80:
            faults.append(f"{plan}: {len(lines)} lines of {max(map(len, lines))} columns")
        if not lines[0].startswith("One step of "):
            faults.append(f"{plan}: begins with {lines[0]}")
        faults += verdict_faults(program, plan)
        sentence = " ".join(" ".join(lines[:lines.index("")]).split())
        grows = "--pipeline" in words and "--micro-batches" not in words and "--global-batch" not in words
        if grows and "DOES NOT FIT" not in out and "--micro-batches" not in out:
            faults.append(f"{plan}: a pipeline of one micro-batch, and no advice to run more")
        overrides = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
        for text in overrides:
            if text not in sentence:
                faults.append(f"{plan}: {text} is not in the verdict")
        asked = [w for w in words if w not in ("--measured", "0.4s", "3s")]
        # advice is for a step, so the options of a whole run are left out
        advised = asked[:asked.index("--tokens")] if "--tokens" in asked else asked
        out, error = run(program, "advise", *advised, "--format", "json")
        if error:
            faults.append(f"{plan}: advise: {error.strip()}")
            continue
        advice = json.loads(out)
        for change in advice["changes"]:
            changes += 1
            # If a proposed change and the plan have the same option, the option of the change replaces the option of
            # the plan.
            new = change["options"].split()
            names = {w.split("=")[0] for w in new if w.startswith("--")} - {"--set"}
            if "--lora" in names and "--qlora" in words:
                continue
            old, skip = [], False
            for i, word in enumerate(asked):
                if skip:
                    skip = False
                elif word in names:
                    skip = i + 1 < len(asked) and not asked[i + 1].startswith("--")
                elif word == "--qlora" and "--frozen" in names:
                    old.append("--lora")
                else:
                    old.append(word)
            again, why = run(program, "estimate", *old, *new, "--format", "json")
            if why:
                faults.append(f"{plan}: {change['options']}: {why.strip()}")
                continue
            again = json.loads(again)
            if abs(again["step"]["step_s"] / change["step_s"] - 1) > 1e-9 or \
                    again["memory"]["total_bytes"] != change["total_bytes"]:
                faults.append(f"{plan}: {change['options']}: {change['step_s']} s, "
                              f"{change['total_bytes']} B, again {again['step']['step_s']} s, "
                              f"{again['memory']['total_bytes']} B")
        steps = [change["gain"] for change in advice["changes"]]
        if steps != sorted(steps, reverse=True):
            faults.append(f"{plan}: the changes are not sorted")
    for plan in SERVED:
        words = ["serve", *plan.split()]
        out, error = run(program, *words, "--format", "json")
        answer = json.loads(out)
        for change in answer["changes"]:
            served += 1
            option = change["options"].split()
            old = [w for i, w in enumerate(words) if not {w, words[i - 1]} & set(option[::2])]
            again = json.loads(run(program, *old, *option, "--format", "json")[0])
            found = [again["latency"]["tpot_s"], again["throughput"]["output_tokens_per_s"], again["memory"]["total_bytes"]]
            told = [change["tpot_s"], change["output_tokens_per_s"], change["total_bytes"]]
            if not again["memory"]["fits"] or any(abs(a / b - 1) > 1e-9 for a, b in zip(found, told)):
                faults.append(f"serve {plan}: {change['options']}: {told}, again {found}")
            if "--batch" in option and change["tpot_s"] > 0.05:
                faults.append(f"serve {plan}: {change['options']}: {change['tpot_s']} s per token")
        if not answer["memory"]["fits"] and not answer["changes"]:
            faults.append(f"serve {plan}: does not fit, and no change is named")
    for command in TABLES:
        out, error = run(program, *command.split())
        wide = [line for line in out.splitlines() if len(line) > 80 and not line.startswith("    nncost ")]
        if error or not out or wide:
            faults.append(f"{command}: {error} {wide[:1]}")
    for command, answer in SLIPS.items():
        out, error = run(program, *shlex.split(command))
        if out or answer not in error:
            faults.append(f"{command}: {error.strip()}, expected {answer}")
    for command in SET:
        command, *words = command.split()
        name = [words.pop(0)] if command in ("plot", "explain") else []
        words = [command, *name, "llama3-8b", "h100", *words, "--set", "layers=4"]
        out, error = run(program, *words)
        first = out if command in ("report", "plot") else " ".join("\n".join(out.splitlines()[:12]).split())
        if error or "layers=4" not in first:
            faults.append(f"{' '.join(words)}: does not name the override {error}")
    print(f"{screens} screens, {changes} changes estimated and {served} served again")
    print("\n".join(faults))
    return 1 if faults or screens < 30 or served < 10 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
