#!/usr/bin/env python3
"""Checks the folder hub/: its table of model names (names.json) and its configurations.

    hub.py NNCOST FOLDER

Each shape must have names and a file, and each name must belong to one shape. Each configuration must have a source,
and nncost must read the configuration. If the table states a network's number of parameters, which the network's own
code counted, nncost must count the same number. nncost must find a name with and without its owner, in upper and lower
case, and with words that do not change the shape. nncost must not find unknown names.
"""
import json
import os
import re
import subprocess
import sys

failures = 0


def fail(text):
    global failures
    failures += 1
    print(text)


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.strip()


def shape_of(program, name):
    code, out, err = run(program, "show", name)
    first = out.split("\n")[0] if code == 0 else ""
    return os.path.basename(first.split("  ")[-1].strip()).replace(".json", ""), err


def plain(table, name):
    words = re.split("[- ]+", name.split("/")[-1].lower().replace("_", "."))
    return "-".join(w for w in words if w and w not in table["words"] and w not in table["formats"])


def main():
    program, folder = sys.argv[1:3]
    hub, models = os.path.join(folder, "hub"), os.path.join(folder, "models")
    with open(os.path.join(hub, "names.json")) as file:
        table = json.load(file)
    shapes = table["shapes"]
    owners = {}
    for shape, row in shapes.items():
        for name in row["names"]:
            owners.setdefault(plain(table, name), set()).add(shape)
        own = os.path.join(hub, shape + ".json")
        if os.path.exists(os.path.join(models, shape + ".json")) == os.path.exists(own):
            fail(f"{shape}: expected one file, in models/ or in hub/")
        if os.path.exists(own):
            if ": " not in row.get("source", ""):
                fail(f"{shape}: no source")
            code, out, err = run(program, "estimate", own, "h100-sxm5-80gb", "--format", "json")
            params = json.loads(out)["model"]["params"] if code in (0, 1) else err
            if params != row.get("params", params) or code not in (0, 1):
                fail(f"{shape}: {params}, expected {row.get('params')}")
    stray = {f[:-5] for f in os.listdir(hub) if f.endswith(".json")} - set(shapes) - {"names"}
    if stray:
        fail(f"files without names: {sorted(stray)}")
    names = [(name, shape) for shape, row in shapes.items() for name in row["names"]]
    lower = [name.lower() for name, _ in names]
    for name in sorted({name for name in lower if lower.count(name) > 1}):
        fail(f"{name}: given twice, expected one shape for each name")
    if len(names) < 400:
        fail(f"{len(names)} names, expected 400 or more")
    for number, (name, shape) in enumerate(names):
        if number % 7 == 0:  # the test starts the program for each name, so it tests only every seventh name
            alone = len(owners[plain(table, name)]) == 1
            forms = [name, name.upper()] + ([f"someone/{name.split('/')[-1]}-AWQ",
                                            f"someone/{name.replace('/', '_')}-GGUF"] if alone else [])
            for form in forms:
                found, err = shape_of(program, form)
                if found != shape:
                    fail(f"{form}: {found or err}, expected {shape}")
    with open(os.path.join(folder, "foreign", "names", "members.json")) as file:
        others = file.read()
    for number, shape in enumerate(shapes):
        # The id of a shape is also a name, unless pytorch-image-models has a network of this name. Such a network takes
        # precedence.
        if number % 7 == 0 and f'"{shape.replace("-", "_")}":' not in others:
            for form in (shape, re.sub("([a-z])([0-9])", r"\1-\2", shape)):
                found, err = shape_of(program, form)
                if found != shape:
                    fail(f"{form}: {found or err}, expected {shape}")
    for name in ("someone/Qwen3-4B-Extra", "someone/Llama-3.1-9B", "Qwen/Qwen3-5B", "qwen-27b"):
        found, err = shape_of(program, name)
        if found or ("expected" not in err and "no device, model" not in err):
            fail(f"{name}: {found or err}, expected no such name")
    # If a name contains two floating-point formats, the last one is the format of the products.
    for name, stored in (("hugging-quants/Meta-Llama-3.1-405B-BNB-NF4-BF16", "nf4"), ("Qwen/Qwen3-8B-bf16", "bf16"),
                         ("someone/Qwen3-8B-fp8-dequantized", "bf16")):
        if f"stored as {stored}:" not in run(program, "estimate", name, "h100-sxm5-80gb", "--format", "json")[1]:
            fail(f"{name}: expected weights stored as {stored}")
    print(f"{len(names)} names, {len(shapes)} shapes, "
          f"{sum('params' in row for row in shapes.values())} with counted parameters, {failures} failures")
    sys.exit(failures > 0)


main()
