#!/usr/bin/env python3
"""Tests that the trace files that nncost writes for the viewer Perfetto follow the rules of the Trace Event Format.

    usage: trace.py PROGRAM

Times must be whole nanoseconds. Slices of a thread must follow each other or be nested. An arrow must begin and end
inside a slice that has the name of the arrow. Counters must be numbers. For each stage, the number of micro-batches in
flight must never be below 0, and must be 0 at the end. The largest memory of a stage must equal the memory of this
stage in the estimate, and the stage must keep no activations at the end. The time of collectives on each link must
equal the time in the estimate.
"""
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

PROGRAM = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parent
PLANS = ["dense round", "unet round", "dense round --pipeline 4 --micro-batches 8",
         "dense round --pipeline 4 --micro-batches 8 --schedule gpipe",
         "dense round --pipeline 4 --micro-batches 8 --schedule zb-h1",
         "dense round --pipeline 2 --micro-batches 4 --virtual-stages 2",
         "dense round --pipeline 4 --micro-batches 8 --schedule dualpipe",
         "dense fitted --pipeline 2 --micro-batches 6 --devices 16 --tensor 2"]
ARROWS = [0, 0, 2 * 3 * 8, 2 * 3 * 8, 2 * 3 * 8, 0, 0, 2 * 6]


def trace_of(words, folder):
    path = Path(folder, "trace.json")
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": folder, "NNCOST_PATH": str(ROOT / "toy")}
    done = subprocess.run([PROGRAM, "estimate", *words.split(), "--stages", "--format", "json", "--trace", path],
                          env=environment, check=True, capture_output=True)
    return json.loads(path.read_text()), json.loads(done.stdout)


def ns(words, microseconds):
    whole = round(microseconds * 1000)
    assert abs(microseconds * 1000 - whole) < 1e-3, f"{words}: {microseconds} us is no whole nanosecond"
    return whole


def check(words, documents, arrows):
    trace, estimate = documents
    slices, flows, counters, named = defaultdict(list), defaultdict(dict), defaultdict(list), set()
    for event in trace["traceEvents"]:
        track = event["pid"], event["tid"]
        kind = event["ph"]
        assert kind in "MXCsf" and isinstance(event["name"], str), f"{words}: {event}"
        if kind == "M":
            named.add((event["name"], *(track if event["name"] == "thread_name" else track[:1])))
        elif kind == "X":
            begin = ns(words, event["ts"])
            slices[track].append((begin, begin + ns(words, event["dur"]), event["cat"]))
        elif kind == "C":
            assert all(isinstance(value, (int, float)) for value in event["args"].values()), f"{words}: {event}"
            counters[event["pid"], event["name"]].append((ns(words, event["ts"]), *event["args"].values()))
        else:
            assert event["bp"] == "e" and kind not in flows[event["cat"], event["id"]], f"{words}: {event}"
            flows[event["cat"], event["id"]][kind] = track, ns(words, event["ts"]), event["name"]
    for track, list_of in slices.items():
        assert ("thread_name", *track) in named and ("process_name", track[0]) in named, f"{words}: {track} has no name"
        list_of.sort()
        for before, after in zip(list_of, list_of[1:]):
            assert before[0] <= before[1] <= after[0], f"{words}: {before} and {after} overlap"
    for one in flows.values():
        begin, end = one["s"], one["f"]
        assert begin[1] <= end[1] and begin[2] == end[2], f"{words}: {one}"
        for track, at, name in (begin, end):
            assert any(a <= at < b and cat == name for a, b, cat in slices[track]), f"{words}: {one} lies in no slice"
    for (_, name), values in counters.items():
        what, stage = name.split(", stage ")
        last = sorted(values)[-1][1]
        if what == "in flight":
            assert min(value for _, value in values) >= 0 and last == 0, f"{words}: {name} {values}"
            continue
        memory = estimate["stages"][int(stage)]
        assert what == "memory" and max(value for _, value in values) == memory["total_bytes"], f"{words}: {name} {values}"
        assert last == memory["total_bytes"] - memory["activation_bytes"], f"{words}: {name} ends at {last}"
    links = ["scale_up", "scale_out", "host"]
    for link, name in enumerate(links):
        told = sum(op["network_s"] * op["repeat"] for op in estimate["ops"] if op["link"] == name and op["network_s"])
        drawn = sum(end - begin for begin, end, _ in slices[2, link])
        assert abs(drawn - 1e9 * told) <= len(estimate["ops"]), f"{words}: {name} {drawn} ns, the estimate says {told} s"
    assert len(flows) == arrows, f"{words}: {len(flows)} arrows, expected {arrows}"
    return sum(len(list_of) for list_of in slices.values())


def main():
    with tempfile.TemporaryDirectory() as folder:
        count = sum(check(words, trace_of(words, folder), arrows) for words, arrows in zip(PLANS, ARROWS))
    print(f"{len(PLANS)} traces, {count} slices")


try:
    main()
except AssertionError as fault:
    sys.exit(f"trace: {fault}")
