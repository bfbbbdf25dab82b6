#!/usr/bin/env python3
"""'nncost search', 'compare' and 'sweep' print a command for each plan. Tests that the printed command
estimates the same plan with the same digits.

    usage: commands.py PROGRAM ROOT

All commands use the devices and models of tests/toy.
"""
import json
import shlex
import sys

from documents import Folder

SEARCHES = (
    "search dense round --devices 8 --global-batch 64 --threads 1",
    "search dense round --devices 16 --global-batch 64 --threads 1 --pipeline 2,4 --software any"
    " --set hidden=512 --tokens 1e9 --reshard=off",
    "search dense round --devices 4,8 --global-batch 64 --threads 1",
    "search experts round --devices 8 --global-batch 64 --expert 4 --threads 1",
    "search plans.json --scenario dense --devices 4 --threads 1",
    "scale dense round --devices 1,8,64 --global-batch 64 --threads 1",
    "scale plans.json --scenario dense --devices 1..4 --threads 1",
)
COMPARISONS = (
    "compare dense,unet round,old --micro-batch 1,2",
    "compare dense round --software torch-eager,megatron --sequence-parallel --tensor 2",
    "compare plans.json round,old --scenario dense --micro-batch 1,2",
)
SWEEPS = (
    "sweep dense round,old --devices 8 --tensor 1,2,3 --all",
    "sweep dense round --micro-batch 1,2 --recompute none,norm+activation --set layers=2,4"
    " --software torch-compile,torch-eager --clip-gradients=on,off",
    "sweep unet round --set device.mem_bytes=1e10 --link image=256,512;micro-batch=2,1",
)


def plans_of(document):
    """Yields each printed plan: its command, its step time and its memory."""
    for row in document.get("best", []) + document.get("pareto", []):
        yield row["command"], row["step_s"], row["memory_bytes"]
    for size in document.get("sizes", []):
        # a plan of 'nncost scale': its efficiency and its losses must add up to 1
        if "scaling_efficiency" in size:
            if size["command"] is not None:
                lost = size["scaling_efficiency"] + sum(size["lost"].values())
                yield size["command"], size["step_s"] if abs(lost - 1) < 1e-9 else lost, size["memory_bytes"]
        elif size["best"] is not None:
            yield size["best"]["command"], size["best"]["step_s"], size["best"]["memory_bytes"]
    for row in document.get("rows", []):
        yield row["command"], row["step"]["step_s"], row["memory"]["total_bytes"]


def main():
    faults = seen = 0
    with Folder() as folder:
        for line in SEARCHES + COMPARISONS + SWEEPS:
            command = shlex.split(line)
            text = folder.run(*command, "--format", "json", refused=(2, 3))
            if text.startswith("nncost"):
                sys.exit(f"{line}: {text}")
            if command[0] == "sweep":
                rows = [json.loads(row) for row in text.splitlines()]
                plans = [(row["command"], row["step.step_s"], row["memory.total_bytes"])
                         for row in rows if row.get("verdict") != "illegal"]
            else:
                plans = list(plans_of(json.loads(text)))
            if len(plans) < 2:
                faults += 1
                print(f"{line}: {len(plans)} plans")
            for wanted, step_s, memory_bytes in dict.fromkeys(plans):
                seen += 1
                words = shlex.split(wanted)
                answer = folder.run(*words[1:], "--format", "json", refused=(2, 3))
                result = json.loads(answer) if answer.startswith("{") else None
                if words[0] != "nncost" or result is None or \
                        result["step"]["step_s"] != step_s or \
                        result["memory"]["total_bytes"] != memory_bytes:
                    faults += 1
                    print(f"{line}: {wanted} gives {answer[:200]}, expected {step_s}")
    print(f"{seen} commands, {faults} faults")
    sys.exit(1 if faults or seen < 80 else 0)


main()
