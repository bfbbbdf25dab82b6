#!/usr/bin/env python3
"""Counts for each type of model how many configurations nncost accepts, counts exactly, and refuses.

    score.py NNCOST FOLDER [--all] [--must]

FOLDER holds counts.json and the configurations that counts.json names. Without --all, lists only configurations whose
parameter count is not exact. With --must, fails if a number of parameters or of forward FLOPs is wrong, or if the
message of a refusal does not say what the user can do. --must also fails if nncost refuses a file whose entry in
counts.json has no key "refused" with the reason.
"""
import json
import os
import subprocess
import sys
from collections import OrderedDict


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.strip()


def count_of(program, path):
    """Returns parameters and FLOPs, or the text of the refusal."""
    code, out, err = run(program, "estimate", path, "h100-sxm5-80gb", "--format", "json")
    if code in (0, 1):
        read = json.loads(out)
        return {**read["model"], "forward_flops": read["work"]["forward_flops"]}, ""
    return None, err.splitlines()[0] if err else f"exit {code}"


def main():
    program, folder = sys.argv[1:3]
    every, must = "--all" in sys.argv, "--must" in sys.argv
    with open(os.path.join(folder, "counts.json")) as file:
        models = [m for m in json.load(file)["models"] if m.get("config")]
    places = [os.path.join(folder, sub) for sub in ("configs", "")]
    kinds = OrderedDict()
    failures = 0
    for model in sorted(models, key=lambda m: (m["model_type"], m["config"])):
        path = next(os.path.join(p, model["config"]) for p in places
                    if os.path.exists(os.path.join(p, model["config"])))
        found, refusal = count_of(program, path)
        kind = kinds.setdefault(model["model_type"], [0, 0, 0, 0])
        kind[0] += 1
        if found is None:
            kind[3] += 1
            line = f"refused  {model['config']}: {refusal.replace(path, '')}"
            failures += must and (not model.get("refused") or "expected" not in refusal)
        else:
            kind[1] += 1
            exact = found["params"] == model["params"]
            active = model.get("params_active") in (None, found["active_params"])
            products = model.get("forward_flops", found["forward_flops"])
            flops = abs(found["forward_flops"] - products) <= 1e-11 * products  # the answer has 12 digits
            kind[2] += exact and flops
            word = "exact   " if exact and flops else "WRONG   "
            line = f"{word} {model['config']}: {found['params']}"
            if not exact:
                line += f", expected {model['params']}, {found['params'] - model['params']:+d}"
            elif not flops:
                line += f", {found['forward_flops']} FLOPs, expected {model['forward_flops']}"
            elif not active:
                line += f", active {found['active_params']}, expected {model['params_active']}"
                word = "active  "
            failures += must and not (exact and flops)
        if every or not line.startswith("exact") or "active" in line:
            print(f"{model['model_type']:28} {line}")
    print(f"\n{'type':36} files accepted exact refused")
    for name, kind in kinds.items():
        print(f"{name:36} {kind[0]:5} {kind[1]:8} {kind[2]:5} {kind[3]:7}")
    total = [sum(kind[i] for kind in kinds.values()) for i in range(4)]
    print(f"{'all':36} {total[0]:5} {total[1]:8} {total[2]:5} {total[3]:7}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
