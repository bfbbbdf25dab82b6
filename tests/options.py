#!/usr/bin/env python3
"""Tests that every command reads each of its options: a command must refuse a meaningless value, with a message that
names the option.

    usage: options.py PROGRAM ROOT

The commands use the devices and models of tests/toy. One command each tests all options of a plan, of a run and of a
serving plan. With every further command, the test tries only the first few options of a plan, of a run and of a serving
plan.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])
FOUND = "dense round --devices 2 --global-batch 4 --tokens 1e9 --price 1"
SIZES = FOUND.replace("--devices 2", "--devices 2,4")
LIMITED = " --deadline 1000d"
SERVED = "dense round --input-len 100 --output-len 50"
COMMANDS = (  # each command has the operands and options that it needs
    "estimate dense round", "estimate plans.json --scenario base", "ops dense round", "op matmul 64x64x64 round",
    "compare dense round,old", "run dense round --tokens 1e9", f"serve {SERVED}", f"ops {SERVED} --serve",
    f"search {SERVED} --serve", f"sweep {SERVED} --serve", f"compare {SERVED} --serve", f"explain ttft_s {SERVED} --serve",
    f"init {SERVED} --serve", "budget --device round --cost 1e6 --price 1", "explain step_s dense round",
    "sweep dense round --micro-batch 1,2", f"search {FOUND}", f"scale {SIZES}", "check plans.json",
    "diff recorded.json recorded.json", "accuracy steps.csv", "calibrate products.csv --device round",
    "calibrate served.csv --serve", "init dense round", "plot step dense round", "plot timeline dense round --pipeline 2",
    f"plot front {FOUND}{LIMITED}", f"plot scaling {SIZES}{LIMITED}", "report dense round", "report plans.json", f"report search {FOUND}",
    "report diff recorded.json recorded.json", "list", "show dense", "validate plans.json", "docs man",
)
# options for output files, and an option whose text is printed unchanged
WRITTEN = {"--output", "--trace", "--db", "--plans", "--date"}
FIELDS = 3  # number of options that are tested of a table that another command has read completely
VALUE = "?x?"


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=240)


def options_of(command):
    """Returns the names of the options in the order of the help text, each with the text that a meaningless value
    needs."""
    lines = run(command[0], *(["--serve"] if "--serve" in command else []), "--help-all").stdout
    return re.findall(r"^  (--[a-z0-9-]+)(?: [A-Z]|(=off)|\[(=off)\])", lines, re.MULTILINE)


def main():
    faults = tried = 0
    seen = {}
    own = re.compile("--(%s)$" % "|".join(re.findall(
        r'\.field = \{ \.name = "([a-z-]+)"', (ROOT / "src/cli/option_table.c").read_text())))
    for line in COMMANDS:
        command = shlex.split(line)
        skipped = {}
        for name, *ends in options_of(command):
            table = "--serve" in command or command[0] == "serve"
            seen_before = (name, table) in seen
            seen[name, table] = True
            if name in WRITTEN or (seen_before and not own.match(name)
                                   and skipped.setdefault(table, FIELDS) <= 0):
                continue
            if seen_before and not own.match(name):
                skipped[table] -= 1
            base = list(command)
            if name in base:
                del base[base.index(name):base.index(name) + 2]
            told = run(*base, *([f"{name}={VALUE}"] if any(ends) else [name, VALUE]))
            tried += 1
            if told.returncode not in (2, 3, 4) or told.stdout or not (
                    name in told.stderr or told.stderr.startswith(f"nncost: {VALUE}: ")
                    or (name == "--power-cap" and "--set" in told.stderr)):
                faults += 1
                print(f"{line} {name} {VALUE}: {told.returncode}, {told.stderr.strip()}")
    # Without the tested option, the command must succeed. If the command also failed without this option, a refusal
    # with the option would prove nothing.
    for line in COMMANDS:
        told = run(*shlex.split(line))
        if told.returncode not in (0, 1):
            faults += 1
            print(f"{line}: {told.stderr.strip()}")
    print(f"{tried} values of options, {faults} not refused by name")
    sys.exit(1 if faults or tried < 600 else 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="nncost-options.") as work:
        os.environ.update(NNCOST_PATH=str(ROOT / "tests/toy"), HOME=work, XDG_CONFIG_HOME=work)
        os.chdir(work)
        for path in (ROOT / "tests/text/inputs").iterdir():
            shutil.copy(path, work)
        shutil.copytree(ROOT / "tests/toy", work, dirs_exist_ok=True)
        shutil.copy("plans.json", "recorded.json")
        run("check", "--update", "recorded.json")
        main()
