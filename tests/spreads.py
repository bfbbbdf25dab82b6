#!/usr/bin/env python3
"""spreads.py NNCOST SOURCE: how wide the ranges of steps are, and how many measured steps fall inside.

What a profile says of itself (spread.own) is fitted on the rows of even CRC-32 that state how the devices are used: the
figure with the least mean width plus nineteen times what lies outside, in the mean (so that nine tenths of these rows are
inside), drawn towards that of unknown profiles as if twenty rows said so. With ACCEPT=1 the profiles are written anew."""
import collections
import datetime
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

KINDS = ("network", "idle", "kernels", "carried", "experts")
UNKNOWN, ROWS, OUTSIDE, FEWEST = 0.2, 20, 19, 5


def settled(row):
    """A row that leaves its plan open, or is said to lack a deciding setting, tells nothing of the profile."""
    return not {"quality B", "parallelism"} & set(row["undecided"].split(", "))


def rows_of(program, source, data):
    files = sorted(glob.glob(os.path.join(source, "tests/published/training_*.csv")))
    files = [f for f in files if "vtrain_single" not in f]  # composed, no measurement
    out = subprocess.run([program, "accuracy", *files, "--summary", "--rows", "--format", "json"],
                         capture_output=True, text=True, check=True,
                         env={**os.environ, "NNCOST_PATH": data}).stdout
    return [r for r in json.loads(out)["rows"]
            if r["kind"] == "step" and r["error"] is not None and r["high_s"] and settled(r)]


def half(row):
    return math.log(row["high_s"] / row["predicted_s"])


def measured(program, source):
    """Rows with the share of each kind, read off ranges that are made of it alone."""
    found = {}
    with tempfile.TemporaryDirectory() as data:
        for name in ("hw", "models", "lab"):
            os.symlink(os.path.abspath(os.path.join(source, name)), os.path.join(data, name))
        os.mkdir(os.path.join(data, "software"))
        for kind in KINDS:
            for path in glob.glob(os.path.join(source, "software", "*.json")):
                with open(path, encoding="utf-8") as file:
                    profile = json.load(file)
                profile["spread"] = {"own": 1e-9, **{k: float(k == kind) for k in KINDS}, "fitted_on": "-"}
                with open(os.path.join(data, "software", os.path.basename(path)), "w", encoding="utf-8") as file:
                    json.dump(profile, file)
            for row in rows_of(program, source, data):
                found.setdefault(row["id"], row)[kind] = half(row)
    return list(found.values())


def figures(source):
    """Of all profiles: the defaults that the schema names."""
    with open(os.path.join(source, "docs/schema/software.json"), encoding="utf-8") as file:
        fields = json.load(file)["properties"]["spread"]["properties"]
    return {k: float(re.search(r"Default: ([0-9]+(?:\.[0-9]+)?)", fields[k]["description"]).group(1)) for k in KINDS}


def width(row, own, shared):
    return math.sqrt(own * own + sum((shared[k] * row[k]) ** 2 for k in KINDS))


def error(row):
    return math.log(row["measured_s"] / row["predicted_s"])


def fit(rows, shared):
    def score(own):
        halves = [width(r, own, shared) for r in rows]
        return sum(2 * h + OUTSIDE * max(0.0, abs(error(r)) - h) for r, h in zip(rows, halves))
    best = min((x / 100 for x in range(3, 70)), key=score)
    return round((best * len(rows) + UNKNOWN * ROWS) / (len(rows) + ROWS), 3)


def inside(rows, own, shared):
    hits = wide = 0.0
    for r in rows:
        h = width(r, own.get(r["software"], UNKNOWN), shared)
        low = max(math.exp(-h), r["lower_bound_s"] / r["predicted_s"])
        hits += low <= r["measured_s"] / r["predicted_s"] <= math.exp(h)
        wide += h - math.log(low)
    return f"{len(rows):5} rows, {100 * hits / len(rows):5.1f} % inside, width {wide / len(rows):.3f}"


def fit_all(rows, shared):
    by = collections.defaultdict(list)
    for r in rows:
        by[r["software"]].append(r)
    return {k: fit(v, shared) for k, v in by.items() if len(v) >= FEWEST}, by


def write(source, own, by):
    today = datetime.date.today()
    for path in sorted(glob.glob(os.path.join(source, "software", "*.json"))):
        name = os.path.basename(path)[:-5]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        groups = {(r["source"], r["model"]) for r in by.get(name, [])}
        said = (f"{len(by[name])} rows of {len(groups)} groups of source and model of even CRC-32, "
                f"training_*.csv of tests/published; {today}" if name in own else
                "too few rows of groups of even CRC-32: that of profiles which no fit saw")
        line = f'"spread": {{ "own": {own.get(name, UNKNOWN):g}, "fitted_on": "{said}" }}'
        old = re.search(r'"spread": \{[^}]*\}', text)
        if name not in by:
            continue
        text = re.sub(r'"spread": \{[^}]*\}', lambda _: line, text, count=1) if old else text
        if not old and name in own:
            text = re.sub(r'(\n  "stands_for")', lambda m: "\n  " + line + "," + m.group(1), text, count=1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    program, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    rows, shared = measured(program, source), figures(source)
    seen = [r for r in rows if r["fitted"]]
    own, by = fit_all(seen, shared)
    for name in sorted(own):
        print(f"{name:20} {own[name]:.3f} {len(by[name]):4} rows")
    vision = {"graph", "unet", "vit"}
    other = [r for r in rows if not r["fitted"]]
    of_vision = [r for r in other if r["what"].split(", ")[2] in vision or "bert" in r["model"]]
    print("fitted   ", inside(seen, own, shared))
    print("the other", inside(other, own, shared))
    print("  vision ", inside(of_vision, own, shared))
    print("  LLM    ", inside([r for r in other if r not in of_vision], own, shared))
    left = []
    for file in sorted({r["file"] for r in rows}):
        without, _ = fit_all([r for r in seen if r["file"] != file], shared)
        left += [(r, without) for r in rows if r["file"] == file]
    hits = sum(abs(error(r)) <= width(r, without.get(r["software"], UNKNOWN), shared) for r, without in left)
    print(f"each file left out: {100 * hits / len(left):.1f} % inside")
    if os.environ.get("ACCEPT"):
        write(source, own, by)


main()
