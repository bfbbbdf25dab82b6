#!/usr/bin/env python3
"""sure.py NNCOST SOURCE: compares the probabilities that 'nncost search' prints with published step times. Takes all
cases in which the search is 80 % sure that one plan is faster than another. In about 80 % of the cases in which the
search is 80 % sure, the search must be right.

A choice is a set of published steps of one file with the same model, hardware, software, sequence length and batch, but
different plans. For each pair of plans in a choice, the script computes the probability that one plan is faster than
the other, from the predicted times and their ranges, as in src/cli/cmd_search.c. The measurements show which plan is
faster. Pairs with equal predictions are left out, because they are one plan that was measured twice. The part of the
error that the two plans of a pair have in common is computed from rows that were used in the fit."""
import csv
import json
import math
import os
import shlex
import subprocess
import sys
from collections import defaultdict

COMMON = 0.7  # common_share of src/cli/cmd_search.c


def main():
    program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folder = os.path.join(source, "tests/published")
    tables = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.startswith("training_")]
    out = subprocess.run([program, "accuracy", *tables, "--rows", "--summary", "--format", "json"], capture_output=True,
                         text=True, check=True, env={**os.environ, "NNCOST_PATH": source}).stdout
    stated = {(os.path.basename(t), r["id"]): r for t in tables for r in csv.DictReader(open(t, encoding="utf-8"))}
    choices = defaultdict(list)
    for row in json.loads(out)["rows"]:
        said = stated.get((os.path.basename(row["file"]), row["id"]))
        if row["kind"] != "step" or not row["high_s"] or not row["measured_s"] or said is None:
            continue
        batch = said.get("global_batch")
        if batch:
            choices[tuple(said.get(k) or "" for k in ("source", "model_name", "seq_len", "framework", "framework_version",
                                                     "precision", "image_size", "global_batch"))
                    + (said.get("hardware") or said.get("device"), said.get("n_devices") or said.get("devices"),
                       os.path.basename(row["file"]))].append(row)
    shares, sure = [], []
    for key, rows in choices.items():
        pairs = [(a, b) for i, a in enumerate(rows) for b in rows[i + 1:]
                 if abs(math.log(a["predicted_s"] / b["predicted_s"])) > 1e-3]
        for a, b in pairs:
            error = [math.log(r["measured_s"] / r["predicted_s"]) for r in (a, b)]
            half = [math.log(r["high_s"] / r["predicted_s"]) for r in (a, b)]
            both = math.hypot(*half) / 1.645
            shares.append((abs(error[0] - error[1]) / both, 1 / len(pairs), key[-1]))
            z = abs(math.log(a["predicted_s"] / b["predicted_s"])) / (both * math.sqrt(1 - COMMON))
            right = (a["predicted_s"] < b["predicted_s"]) == (a["measured_s"] < b["measured_s"])
            sure.append((0.5 * math.erfc(-z / math.sqrt(2)), right, 1 / len(rows), key))
    shares.sort()
    total = sum(w for _, w, _ in shares)
    at, middle = 0.0, math.nan
    for share, weight, _ in shares:  # nine of ten differences must be within 1.645 deviations
        at += weight
        if at <= 0.9 * total:
            middle = share
    print(f"{len(sure)} pairs of {len({key for *_, key in sure})} choices; "
          f"common share of the error {1 - (middle / 1.645) ** 2:.2f}")
    for low, high in ((0.5, 0.6), (0.6, 0.7), (0.7, 0.75), (0.75, 0.85), (0.85, 0.95), (0.95, 1.01)):
        some = [(p, right, w) for p, right, w, _ in sure if low <= p < high]
        if some:
            print(f"sure {100 * low:.0f} to {min(100, 100 * high):.0f} %: {len(some)} pairs, right "
                  f"{100 * sum(right for _, right, _ in some) / len(some):.0f} %, by choice "
                  f"{100 * sum(w * right for _, right, w in some) / sum(w for _, _, w in some):.0f} %")
    firsts(choices)
    eighty = [right for p, right, *_ in sure if 0.75 <= p < 0.85]
    assert len(eighty) > 100 and 0.75 <= sum(eighty) / len(eighty) <= 0.85, sum(eighty) / len(eighty)
    search_says(program, source)


def firsts(choices):
    """For each choice, takes the plan that is predicted to be the fastest. Compares the probability that this plan is
    faster than all other plans with the measurements."""
    found = []
    for rows in choices.values():
        plans = []
        for row in sorted(rows, key=lambda r: r["predicted_s"]):
            if not plans or row["predicted_s"] > 1.001 * plans[-1]["predicted_s"]:
                plans.append(row)
        if len(plans) < 2:
            continue
        at = [math.log(r["predicted_s"]) for r in plans]
        deviation = [math.log(r["high_s"] / r["predicted_s"]) / 1.645 * math.sqrt(1 - COMMON) for r in plans]
        sums = [0.0, 0.0]
        for k in range(-100, 101):
            weight, x = math.exp(-0.5 * (k / 20) ** 2), at[0] + deviation[0] * k / 20
            sums[1] += weight
            sums[0] += weight * math.prod(0.5 * math.erfc((x - a) / d / math.sqrt(2)) for a, d in zip(at[1:], deviation[1:]))
        found.append((sums[0] / sums[1], min(plans, key=lambda r: r["measured_s"]) is plans[0]))
    said, right = (sum(column) / len(found) for column in zip(*found))
    print(f"first plans of {len(found)} choices: sure {100 * said:.0f} % in the mean, right {100 * right:.0f} %")
    assert abs(said - right) < 0.08, (said, right)  # the limit is two standard errors of 132 choices


def search_says(program, source):
    """Tests the probability that a search prints for two plans. The probability must follow from the estimates of the
    two plans."""
    def ask(*arguments):
        run = subprocess.run([program, *arguments, "--format", "json"], capture_output=True, text=True, check=True,
                             env={**os.environ, "NNCOST_PATH": source})
        return json.loads(run.stdout)

    plans = ask("search", "llama2-7b", "a100", "--devices", "8", "--global-batch", "64", "--best", "2", "--micro-batch", "1,2",
                "--tensor", "2,4", "--zero", "1", "--pipeline", "1", "--recompute", "none")["plans"]
    found = [ask(*shlex.split(plan["command"])[1:]) for plan in plans]
    (a, b), halves = [f["step"]["step_s"] for f in found], []
    for estimate in found:
        halves.append(math.log(estimate["step"]["interval_s"][1] / estimate["step"]["step_s"]) / 1.6449)
    expected = 0.5 * math.erfc(-math.log(b / a) / (math.hypot(*halves) * math.sqrt(1 - COMMON)) / math.sqrt(2))
    assert abs(plans[0]["p_best"] - expected) < 1e-3 and abs(plans[0]["p_best"] + plans[1]["p_best"] - 1) < 1e-3, (plans, expected)
    for plan, estimate in zip(plans, found):
        memory, most = estimate["memory"]["total_bytes"], estimate["memory"]["total_interval_bytes"][1]
        z = math.log(estimate["device"]["mem_bytes"] / memory) / (math.log(most / memory) / 1.6449)
        assert abs(plan["p_out_of_memory"] - 0.5 * math.erfc(z / math.sqrt(2))) < 1e-3, (plan, z)
    tight = ("search", "llama2-70b", "h100", "--devices", "64", "--global-batch", "1024")
    for risk in ("0.1%", "30%"):
        worst = max(plan["p_out_of_memory"] for plan in ask(*tight, "--risk", risk)["plans"])
        assert 0 < worst <= float(risk[:-1]) / 100, (risk, worst)
    assert worst > 0.05, worst  # larger than the upper end of the range allows
    print(f"search: {100 * plans[0]['p_best']:.0f} % sure of the first of two plans")


if __name__ == "__main__":
    main()
