#!/usr/bin/env python3
"""one_point.py NNCOST SOURCE: tests how much one measured step improves predictions for the B200 measurements of
SimuMax.

Calibrates the device with each measured step alone, then predicts all other steps. Prints three mean errors of the
predictions: the mean over all calibrations, the best calibration and the worst calibration."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

FILE = "tests/published/training_simumax.csv"
DEVICE = "b200-sxm-180gb"


def errors(program, source, data):
    run = subprocess.run([program, "accuracy", FILE, "--format", "csv"], cwd=source, check=True, capture_output=True,
                         text=True, env={**os.environ, "NNCOST_PATH": data})
    return {r["id"]: abs(float(r["error"])) for r in csv.DictReader(run.stdout.splitlines()) if r["error"]}


def calibrated(program, source, row, file):
    subprocess.run([program, "calibrate", FILE, "--device", DEVICE, "--only", row, "--output", file], cwd=source,
                   check=True, capture_output=True, env={**os.environ, "NNCOST_PATH": source})
    with open(file, encoding="utf-8") as made:
        device = json.load(made)
    with open(os.path.join(source, "hw", DEVICE + ".json"), encoding="utf-8") as shipped:
        device.update(id=DEVICE, aliases=json.load(shipped)["aliases"])
    with open(file, "w", encoding="utf-8") as made:
        json.dump(device, made)


def main():
    program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    before, means = errors(program, source, source), []
    with tempfile.TemporaryDirectory() as data:
        shutil.copytree(os.path.join(source, "hw"), os.path.join(data, "hw"))
        for row in before:
            calibrated(program, source, row, os.path.join(data, "hw", DEVICE + ".json"))
            others = [e for name, e in errors(program, source, data).items() if name != row]
            means.append(sum(others) / len(others))
    print(f"as shipped {100 * sum(before.values()) / len(before):.1f} %, after one point "
          f"{100 * sum(means) / len(means):.1f} % in the mean of {len(means)} choices, "
          f"{100 * min(means):.1f} to {100 * max(means):.1f} %")


main()
