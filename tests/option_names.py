#!/usr/bin/env python3
"""Tests option names of other programs. For at least 95 % of the names, nncost must accept the name, or its error must
name the option with the same meaning. The error must never name an option with another meaning.

    usage: option_names.py PROGRAM

The columns of tests/data/option_names.csv are program, name, option of nncost, and note. If NAME is a second name of
OPTION, nncost must refuse 'NAME VALUE OPTION x', because the option is given twice."""
import csv
import re
import subprocess
import sys
from pathlib import Path

TABLE = Path(__file__).parent / "data/option_names.csv"
VALUES = ("", "2", "full", "true", "bf16", "none", "ring", "p2p", "uniform", "optim", "1f1b", "cpu",
          "FULL_SHARD", "adamw_torch", "flash_attention_2", "all-linear", "auto", "1", "fp8")
SERVING = ("vllm", "sglang", "trtllm")


def error(program, serves, words):
    command = [program, "serve" if serves else "estimate", "gpt2", "a100", "--no-defaults", *words]
    return subprocess.run(command, capture_output=True, text=True).stderr


def outcome(program, framework, name, wanted):
    serves = framework in SERVING
    if framework == "hf-config":
        said = error(program, serves, ["--set", f"{name}=x"])
        field = wanted[0].split()[1]
        return "taken" if re.match(r"nncost: --set \w+: (?!no such)", said) and \
            error(program, serves, ["--set", f"{field}=x"]).split(": ")[2:] == said.split(": ")[2:] \
            else "wrong" if "did you mean" in said and field not in said else "none"
    option = name if name.startswith("--") else "--" + name
    heard = []
    for value in VALUES:
        words = [option] + ([value] if value else [])
        for want in wanted:
            target = want.split()[0]
            if target == "--set":
                said = error(program, serves, words + ["--set", "layers=0"])
                field = want.split()[1]
                if said.startswith(f"nncost: --set {field}: ") or \
                        said.startswith("nncost: --set layers: out of range"):
                    return "taken"
                continue
            said = error(program, serves, words + [target + "=@"])
            if said.startswith(f"nncost: {target}: given twice") or \
                    said.startswith(f"nncost: {target}: takes no value"):
                return "taken"
            heard.append(said)
    heard += [error(program, serves, [option, "2"])] if not any("did you mean" in said for said in heard) else []
    hints = [re.search(r"did you mean (--[a-z0-9-]+)", said) for said in heard]
    hints = [hint.group(1) for hint in hints if hint]
    if any(hint == want.split()[0] for hint in hints for want in wanted):
        return "hinted"
    return "wrong" if hints else "none"


def main(program):
    counts, bad = {}, []
    with open(TABLE, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        note = row["nncost"]
        wanted = re.findall(r"--[a-z0-9-]+(?: [a-z_]\w*)?", note) or \
            [{"memory_use": "--memory-use", "cache precision": "--kv-precision"}.get(note, "--chunk")]
        wanted = [w if w.startswith("--set") else w.split()[0] for w in wanted]
        found = outcome(program, row["framework"], row["name"], wanted)
        counts[found] = counts.get(found, 0) + 1
        if found in ("wrong", "none"):
            bad.append(f"{row['framework']} {row['name']}: {found}, expected {note}")
    right = counts.get("taken", 0) + counts.get("hinted", 0)
    print(f"{len(rows)} names: {counts}")
    print("\n".join(bad))
    return 0 if right >= 0.95 * len(rows) and counts.get("wrong", 0) == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
