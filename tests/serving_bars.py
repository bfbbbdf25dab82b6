#!/usr/bin/env python3
"""Tests that the prediction errors of serving do not become larger than those in docs/accuracy-serving.md.

    usage: serving_bars.py PROGRAM ROOT

Predicts the measured rows of tests/published/serving.csv. The errors of the predictions must be below the limits in
BARS, which are the smallest errors reached so far, rounded up. Every row that the file marks as usable must have a
prediction.
"""
import json
import subprocess
import sys

# Each row has: the section of the summary, the key by which rows are grouped, the name of the group (None = all rows
# together), and the largest allowed mean and median of absolute errors.
BARS = [
    ("batch_latency", "framework", "tensorrt-llm-2024", 0.09, 0.06),
    ("batch_latency", "framework", "vllm-2024", 0.08, 0.06),
    ("batch_latency", "framework", "lmdeploy", 0.085, 0.06),
    ("batch_latency", "framework", "fastertransformer", 0.085, 0.06),
    ("batch_latency", "framework", "llama-cpp", 0.13, 0.12),
    ("single_stream", "half", "unfitted", None, 0.08),
    ("single_stream", "framework", "llama-cpp", 0.065, 0.055),
    ("single_stream", "framework", "gpt-fast", 0.085, 0.07),
    ("offline", "half", "unfitted", 0.125, 0.095),
    ("tpot", "framework", "tensorrt-llm", 0.054, 0.048),
    ("tpot", "framework", "vllm", 0.05, 0.04),
    ("tpot", "half", "unfitted", 0.053, 0.038),
    ("tpot_experts", "half", "unfitted", 0.13, 0.125),
    ("ttft_open", "total", None, 0.06, 0.05),
    ("ttft_closed", "total", None, 0.197, 0.15),
    ("ttft_closed", "half", "unfitted", 0.217, 0.175),
    ("ttft_closed", "framework", "sglang", 0.19, 0.15),
    ("serving_apart", "total", None, 0.11, 0.09),
]


def main():
    program, root = sys.argv[1:]
    out = subprocess.run([program, "accuracy", "tests/published/serving.csv", "--format", "json"], cwd=root,
                         env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent", "NNCOST_PATH": root},
                         capture_output=True, text=True, check=True).stdout
    groups = {(g["section"], g["by"], g["name"]): g for g in json.loads(out)["groups"]}
    faults = 0
    for section, by, name, mean, median in BARS:
        group = groups.get((section, by, name if name is not None else ""))
        if group is None:
            print(f"{section}: no rows by {by} {name}")
            faults += 1
            continue
        for what, found, most in (("mean", group["mape"], mean), ("median", group["median"], median)):
            if most is not None and not (found is not None and found <= most):
                print(f"{section} of {name or 'all'}: {what} error {found}, expected at most {most}")
                faults += 1
        if group["scored"] != group["rows"]:
            print(f"{section} of {name or 'all'}: {group['rows'] - group['scored']} rows without a prediction")
            faults += 1
    sys.exit(faults > 0)


main()
