#!/usr/bin/env python3
"""compared.py NNCOST SOURCE: tests that the prediction errors stated in software profiles are those that `nncost
accuracy --summary` computes.

With ACCEPT=1, writes the computed errors into the key "compared" of each profile."""
import collections
import glob
import json
import os
import re
import sys

from spreads import at_level, settled


FEWEST = 10  # number of steps outside of the fit that a statement on a device needs
ORIGIN = "tests/published/training_*.csv; nncost accuracy --summary, for profiles that a plan gets --level user"


def scored(program, source):
    files = sorted(glob.glob(os.path.join(source, "tests/published/training_*.csv")))
    # this file has step times composed of parts, not measured steps
    files = [f for f in files if "vtrain_single" not in f]
    return at_level(program, files, source, "user") + at_level(program, files, source, "matched")


def means(name, errors):
    return {name + "error": round(sum(map(abs, errors)) / len(errors), 3),
            name + "bias": round(sum(errors) / len(errors), 3)}


def entries(rows):
    """Returns the errors of each profile as a list, ordered by device and family."""
    found = collections.defaultdict(list)
    for row in rows:
        if row["kind"] == "step" and row["error"] is not None and row["what"] and settled(row):
            device, software, family = row["what"].split(", ")
            found[(software, device, family)].append(row)
    for (software, device, family), group in sorted(found.items()):
        errors = [r["error"] for r in group if not r["fitted"]]
        few = len(errors) < FEWEST <= len(group)
        if not errors and not few:
            continue
        entry = {"device": device, "family": family, "rows": len(group), "unseen": len(errors)}
        if errors:
            entry |= means("", errors)
        if few:
            entry |= means("all_", [r["error"] for r in group])
        yield software, entry


def main():
    program, source = sys.argv[1:3]
    wanted = collections.defaultdict(list)
    for software, entry in entries(scored(program, source)):
        wanted[software].append(entry)
    stale = []
    for path in sorted(glob.glob(os.path.join(source, "software/*.json"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        profile = json.loads(text)
        mine = wanted.get(profile["id"], [])
        if profile.get("compared", []) == mine and (not mine or "compared" in profile["sources"]):
            continue
        stale.append(profile["id"])
        if os.environ.get("ACCEPT") != "1":
            continue
        text = re.sub(r'  "compared": \[[^\]]*\],\n', "", text)
        lines = ",\n".join("    " + json.dumps(e).replace("{", "{ ").replace("}", " }") for e in mine)
        block = '  "compared": [\n' + lines + "\n  ],\n" if mine else ""
        text = re.sub(r'    "compared": "[^"]*",\n', "", text)
        if mine:
            text = text.replace('  "sources": {\n', '  "sources": {\n    "compared": "' + ORIGIN + '",\n', 1)
        at = text.index(next(k for k in ('  "stands_for": [', '  "reserve"', '  "sources": {') if k in text))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:at] + block + text[at:])
    if stale and os.environ.get("ACCEPT") != "1":
        sys.exit("compared with measured steps otherwise than their files say: " + ", ".join(stale)
                 + "\n(ACCEPT=1 tests/compared.py NNCOST SOURCE writes them anew)")
    print("rewritten:" if stale else "up to date", *stale)


if __name__ == "__main__":
    main()
