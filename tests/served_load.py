#!/usr/bin/env python3
"""Compares results of 'nncost serve' under load with a separate simulation, written from the definition in
docs/serving.md.

    usage: served_load.py PROGRAM ROOT

The simulation uses step times that the program prints: decode steps of 1 to 64 sequences, and the time that a prompt
adds to a step. The simulation computes each iteration of the engine and each sequence, without tables or closed
formulas. The test compares three results of nncost with the simulation: the mean and the 99th percentile of the time to
first token, and the mean time per token. The results must obey Little's law.
"""
import csv
import json
import math
import random
import subprocess
import sys
import tempfile

INPUT, OUTPUT, SLOTS, REQUESTS = 1000, 64, 64, 4000
SHARES = (0.3, 0.6, 0.8, 0.9, 0.95, 0.99)
DEPLOYMENTS = (("llama3-8b", "h100", []), ("llama3-70b", "h100", ["--tensor", "8"]))


def ask(program, root, command, *args):
    out = subprocess.run([program, command, *args, "--format", "json"], cwd=root, text=True, capture_output=True,
                         env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent", "NNCOST_PATH": root})
    if out.returncode not in (0, 1):
        raise SystemExit(out.stderr)
    return json.loads(out.stdout)


class Steps:
    """The step times that nncost prints, for use in the simulation. The time of a decode step is linear in the context.
    An iteration has at most one prompt (chunk = prompt)."""

    def __init__(self, program, root, model, device, options):
        def rows(input_len, output_len):
            found = ask(program, root, "sweep", model, device, "--serve", "--batch", f"1..{SLOTS}", *options,
                        "--input-len", str(input_len), "--output-len", str(output_len), "--chunk", str(INPUT))["rows"]
            return [row["decode"] for row in sorted(found, key=lambda row: row["decode"]["sequences"])]
        low, high, middle = rows(INPUT - 1, 2), rows(INPUT + OUTPUT - 1, 2), rows(INPUT, OUTPUT)
        self.base = [0.0] + [row["time_s"] for row in low]
        self.slope = [0.0] + [(b["time_s"] - a["time_s"]) / OUTPUT for a, b in zip(low, high)]
        self.added = [0.0] + [row["prompt_s"] for row in middle]
        one = ask(program, root, "serve", model, device, *options, "--batch", "1", "--input-len", str(INPUT),
                  "--output-len", str(OUTPUT), "--chunk", str(INPUT))
        self.added[0] = one["prefill"]["time_s"]
        self.server_s = one["latency"]["ttft_s"] - self.added[0]

    def iteration(self, contexts, prompt):
        n = len(contexts)
        decode = self.base[n] + self.slope[n] * (sum(contexts) / n - INPUT) if n else 0.0
        return decode + (self.added[n] if prompt else 0.0)


def simulate(steps, arrivals):
    """Returns three lists with one value per request, as the client sees it: time to first token, time per token, and
    time of the request."""
    now, waiting, running, following = 0.0, [], [], 0
    first, done = {}, {}
    while len(done) < len(arrivals):
        while following < len(arrivals) and arrivals[following] + steps.server_s <= now:
            waiting.append(following)
            following += 1
        if not waiting and not running:
            now = arrivals[following] + steps.server_s
            continue
        prompt = waiting.pop(0) if waiting and len(running) < SLOTS else None
        now += steps.iteration([INPUT + made for _, made in running], prompt is not None)
        for sequence in running:
            sequence[1] += 1
        if prompt is not None:
            first[prompt] = now
            running.append([prompt, 1])
        for index, made in running:
            if made == OUTPUT:
                done[index] = now
        running = [sequence for sequence in running if sequence[1] < OUTPUT]
    ids = range(len(arrivals))
    return ([first[i] - arrivals[i] for i in ids], [(done[i] - first[i]) / (OUTPUT - 1) for i in ids],
            [done[i] - arrivals[i] for i in ids])


def drawn(draw, rate):
    at, arrivals = 0.0, []
    for _ in range(REQUESTS):
        at += draw.expovariate(rate)
        arrivals.append(at)
    return arrivals


def mean(values):
    return sum(values) / len(values)


def p99(values):
    return sorted(values)[math.ceil(0.99 * len(values)) - 1]


FAULTS = []


def compare(what, found, expected, most):
    error = found / expected - 1.0
    if not abs(error) <= most:
        FAULTS.append(f"{what}: {found:.6g}, simulated {expected:.6g}, {error:+.2%}, expected within {most:.1%}")


def main():
    program, root = sys.argv[1:]
    draw = random.Random(28)
    for model, device, options in DEPLOYMENTS:
        steps = Steps(program, root, model, device, options)
        same = [model, device, *options, "--input-len", str(INPUT), "--output-len", str(OUTPUT), "--chunk",
                str(INPUT), "--max-batch", str(SLOTS), "--length-spread", "0"]
        saturation = ask(program, root, "serve", *same, "--offline")["throughput"]["requests_per_s"]
        for share in SHARES:
            rate = share * saturation
            arrivals = drawn(draw, rate)
            ttft, tpot, request = simulate(steps, arrivals)
            with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
                out = csv.writer(file)
                out.writerow(["arrival_s"])
                out.writerows([repr(at)] for at in arrivals)
                file.flush()
                found = ask(program, root, "serve", *same, "--arrivals", file.name)
            where = f"{model} at {share} of saturation"
            # nncost and the simulation get the same arrivals, so only the tables of nncost cause a difference.
            compare(f"{where}, first token", found["latency"]["ttft_s"], mean(ttft), 0.01)
            compare(f"{where}, first token of 99 %", found["formula"]["ttft_p99_s"], p99(ttft), 0.01)
            compare(f"{where}, per token", found["latency"]["tpot_s"], mean(tpot), 0.005)
            compare(f"{where}, request", found["latency"]["request_s"], mean(request), 0.005)
            print(f"{where}: first token {found['latency']['ttft_s']:.4g} s, simulated {mean(ttft):.4g} s; of 99 % "
                  f"{found['formula']['ttft_p99_s']:.4g} s, {p99(ttft):.4g} s")
            # nncost and the simulation draw different arrivals at the same rate. Near saturation, the mean of one run
            # is uncertain, so several runs are averaged.
            if share <= 0.9:
                own = ask(program, root, "serve", *same, "--request-rate", repr(rate), "--requests", str(REQUESTS))
                runs = [simulate(steps, drawn(draw, rate))[0][REQUESTS // 10:] for _ in range(12 if share == 0.9 else 1)]
                many = mean([mean(run) for run in runs])
                compare(f"{where}, first token, other arrivals", own["latency"]["ttft_s"], many, 0.1)
                little = own["throughput"]["requests_per_s"] * own["latency"]["request_s"]
                compare(f"{where}, Little", little, own["throughput"]["running"], 1e-3)
        for clients in (1, 8, 200):
            own = ask(program, root, "serve", *same, "--concurrency", str(clients), "--waves", "50")
            little = own["throughput"]["requests_per_s"] * own["latency"]["request_s"]
            compare(f"{model}, {clients} clients, Little", little, clients, 1e-3)
            compare(f"{model}, {clients} clients, throughput", own["throughput"]["requests_per_s"],
                    min(saturation, clients / (own["latency"]["ttft_s"] +
                                               (OUTPUT - 1) * own["latency"]["tpot_s"])), 0.02)
            # A benchmark of one wave must have at most the rate at which the engine saturates.
            wave = ask(program, root, "serve", *same, "--concurrency", str(clients), "--waves", "1")
            rate = wave["throughput"]["requests_per_s"]
            if rate > 1.01 * min(saturation, clients / wave["latency"]["request_s"]):
                FAULTS.append(f"{model}, one wave of {clients}: {rate} requests/s, saturation {saturation}")
    for fault in FAULTS:
        print(fault)
    sys.exit(len(FAULTS) > 0)


main()
