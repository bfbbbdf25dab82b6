#!/usr/bin/env python3
"""stand_ins.py NNCOST COUNTS.csv: finds a stand-in for each unknown network, which is a known network with nearly the
same counts.

Copy the output into the key "stand_ins" of foreign/names/members.json.

Each line of COUNTS.csv (model,image_size,params_m,gmacs,activations_m) is a network with unknown dimensions. From the
name of the unknown network, the program knows which families of networks are similar. For each family, the program
tries several depths and scales the widths until the multiply-adds agree. stand_ins.py prints the network with the
nearest activations (outputs of convolutions and products) and parameters. No measured time is used."""
import csv
import functools
import json
import math
import re
import subprocess
import sys

KINDS = [
    (r"(gluon_)?(xception|nasnet|pnasnet)|(tf_)?(efficientnet|mixnet|mobilenet|mnasnet)|semnas|spnas|hardcore|fbnet|"
     r"tinynet|ghost|lcnet|rexnet|gc_efficientnet", "depthwise"),
    (r"edgenext|mobilevit|semobilevit", "depthwise convnext transformer"),
    (r"coat|visformer|poolformer|convmixer|nest|jx_nest|twins|xcit|cait|volo", "transformer convnext"),
    (r"regnet|nf_regnet", "regnet"), (r"swin", "swin"), (r"convnext", "convnext"),
    (r"vit|deit|crossvit|mixer|resmlp|gmlp|gmixer|levit|pit|convit|tnt|sequencer|beit", "transformer"),
    (r"", "resnet")]
WITHOUT_GATES = r"minimal|mnasnet_[^a]|^fbnetc|hardcore|spnas|xcept|nasnet|_es|_em|_el|mobilevit|edgenext"

WITHIN = 0.15  # largest relative difference of multiply-adds; beyond it, no network is a stand-in


def steps(width, by=8):
    return max(by, round(width / by) * by)


def fields(name, values, first=1):
    return " ".join(f"{name}{i}={v}" for i, v in enumerate(values, first))


def resnets(name, _):
    gates = " squeeze=16" if re.search("se|sk|eca|gc", name) else ""
    for depth in (2, 2, 2, 2), (3, 4, 6, 3), (3, 4, 9, 3), (3, 4, 23, 3), (3, 8, 36, 3), (3, 24, 36, 3), (4, 36, 54, 4):
        for basic in ("", " basic=1") if depth[1] < 20 else ("",):
            yield 64, lambda w, d=depth, b=basic: f"resnet-50 width={steps(w)} {fields('n', d)}{b}{gates}"


def regnets(*_):
    for d in 0.5, 1, 1.5, 2, 3:
        depth = fields("n", (max(1, round(d * n)) for n in (2, 4, 10, 2)))
        yield 48, lambda w, d=depth: ("regnet-y-16gf " + fields("w", (steps(w * c, 24) for c in (1, 2, 5, 12))) +
                                      f" {d} group=24 group1=24")


def depthwise(name, _):
    gates = 0 if re.search(WITHOUT_GATES, name) else 1
    for d in 0.5, 0.75, 1, 1.4, 2, 3, 4:
        depth = fields("n", (max(1, round(d * n)) for n in (1, 2, 2, 3, 3, 4, 1)))
        for e in 3, 6:
            yield 1, lambda w, d=depth, e=e: (
                "efficientnet-b0 " + fields("c", (steps(w * c) for c in (32, 16, 24, 40, 80, 112, 192, 320)), 0) +
                f" top={steps(w * 1280)} {d} e2={e} e3={e} excite={gates}")


def swins(_, image):
    for n3 in 2, 6, 10, 18, 26:
        yield 96, lambda w, n=n3: (f"swin-t image={image} width={steps(w, 32)} heads={steps(w, 32) // 32} n3={n} "
                                   f"window={image // 32}")


def convnexts(*_):
    for depth in (2, 2, 2, 2), (2, 2, 6, 2), (3, 3, 9, 3), (3, 3, 18, 3), (3, 3, 27, 3), (6, 6, 18, 6):
        yield 96, lambda w, d=depth: f"convnext-t width={steps(w)} {fields('n', d)}"


def transformers(*_):
    for patch in 4, 7, 8, 14, 16, 28, 32:
        for layers in 4, 6, 8, 12, 16, 18, 24, 32, 36, 48:
            yield 384, lambda w, p=patch, n=layers: (
                f"vit-b-16 hidden={steps(w, 32)} heads={steps(w, 32) // 32} ffn_hidden={4 * steps(w, 32)} layers={n} "
                f"patch={p}")


FAMILIES = {"resnet": resnets, "regnet": regnets, "depthwise": depthwise, "swin": swins, "convnext": convnexts,
            "transformer": transformers}


def weights(op):
    if op["kind"] == "conv2d":
        outputs = re.search(r"->(\d+)x(\d+)", op["shape"].split(" ", 2)[2]).groups()
        return op["flops"] / 2 / math.prod(map(int, outputs))
    return math.prod(map(int, re.search(r"n=(\d+) k=(\d+)", op["shape"]).groups()))


@functools.lru_cache(None)
def counts(program, spec, image):
    """Returns the multiply-adds (in 1e9), activations (in 1e6) and weights (in 1e6) of a forward pass of one image.
    Returns None if the network cannot be built."""
    model, *sets = spec.split()
    out = subprocess.run([program, "ops", model, "rtx-3090", "--image", str(image), "--format", "json",
                          *(word for s in sets for word in ("--set", "model." + s))],
                         capture_output=True, text=True, check=False)
    macs = acts = params = 0.0
    for op in json.loads(out.stdout)["ops"] if out.returncode == 0 else []:
        if op["phase"] != "forward":
            continue
        macs += op["repeat"] * op["flops"] / 2e9
        if op["kind"] in ("conv2d", "matmul", "batched_matmul"):
            acts += op["repeat"] * op["write_bytes"] / 2e6
            params += op["repeat"] * weights(op) / 1e6
        elif op["kind"] == "flash_attention":
            heads, rows, columns = map(int, re.search(r"heads=(\d+)/\d+ s=(\d+)x(\d+)", op["shape"]).groups())
            acts += op["repeat"] * (heads * rows * columns + op["write_bytes"] / 2) / 1e6
    return (macs, acts, params) if macs > 0 else None


def stand_in(program, row):
    name, image = row["model"], int(row["image_size"])
    macs, acts, params = (float(row[c]) for c in ("gmacs", "activations_m", "params_m"))
    best = None
    kinds = next(kinds for pattern, kinds in KINDS if re.match(pattern, name))
    for width, make in (m for kind in kinds.split() for m in FAMILIES[kind](name, image)):
        for _ in range(6):
            found = counts(program, make(width), image)
            if found is None or abs(found[0] / macs - 1) < 0.02:
                break
            next_width = width * min(4.0, max(0.25, math.sqrt(macs / found[0])))
            if make(next_width) == make(width):
                break
            width = next_width
        found = counts(program, make(width), image)
        if found is not None and abs(found[0] / macs - 1) < WITHIN:
            far = (abs(math.log(found[0] / macs)) + abs(math.log(found[1] / acts)) +
                   0.25 * abs(math.log(found[2] / params)))
            best = min(best, (far, make(width))) if best else (far, make(width))
    return best and best[1]


def main():
    with open(sys.argv[2], encoding="utf-8", newline="") as file:
        found = {row["model"]: stand_in(sys.argv[1], row) for row in csv.DictReader(file)}
    print(json.dumps({name: spec for name, spec in found.items() if spec}, indent=2))


if __name__ == "__main__":
    main()
