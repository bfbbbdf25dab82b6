#!/usr/bin/env python3
"""levels.py NNCOST SOURCE: prints those tables of docs/accuracy.md that combine measured rows of several files.

The first table has the prediction errors at each level of information, and the second table has the errors of held-out
language models. The third table tests the error that `nncost estimate` prints below the step time: it compares this
error with the error of rows of other models, and with the error of rows of one source that is left out."""
import collections
import glob
import json
import math
import os
import statistics
import subprocess
import sys

from compared import FEWEST
from spreads import BY_PLAN, OF_VISION, OTHER, settled

COMPOSED, DIFFUSION = "training_vtrain_single.csv", "training_mosaic_diffusion.csv"
GUESSED = {"parallelism", "network"}
BEYOND = 2, 3.5  # factors of the range around a printed mean error, src/metrics/metric.c


def rows_of(program, source, level):
    files = [f for f in sorted(glob.glob(os.path.join(source, "tests/published/training_*.csv"))) if COMPOSED not in f]
    out = subprocess.run([program, "accuracy", *files, "--summary", "--rows", "--level", level, "--format", "json"],
                         capture_output=True, text=True, check=True, env={**os.environ, "NNCOST_PATH": source}).stdout
    return [r for r in json.loads(out)["rows"] if r["kind"] == "step" and r["error"] is not None and r["what"]]


def open_fields(row):
    return set(row["undecided"].split(", "))


def vision(row):
    return row["file"] in OF_VISION or row["file"] == DIFFUSION


def groups(rows):
    """Returns four groups of rows: language models; held-out language models; vision models and encoders; vision rows
    of sources that no fit used."""
    rows = [r for r in rows if "network" not in open_fields(r)]
    language = [r for r in rows if not vision(r)]
    return {"language": language, "language, held out": [r for r in language if not r["fitted"]],
            "vision, encoders": [r for r in rows if vision(r) and r["file"] != OTHER],
            "two more vision sources": [r for r in rows if r["file"] == OTHER]}


def mean(rows):
    return statistics.mean(abs(r["error"]) for r in rows)


def errors(rows):
    middle = statistics.median(abs(r["error"]) for r in rows)
    return f"{100 * mean(rows):.1f} / {100 * middle:.1f} %"


def inside(rows):
    ranged = [r for r in rows if r["high_s"]]
    hits = sum(r["low_s"] <= r["measured_s"] <= r["high_s"] for r in ranged)
    wide = statistics.median(math.sqrt(r["high_s"] / r["low_s"]) for r in ranged)
    return f"{100 * hits / len(ranged):.0f} %, x{wide:.2f}"


def refused(rows):
    return f"{sum(r['fit'] == 'does_not_fit' for r in rows)}"


def levels(of):
    names = list(groups(of["matched"]))
    print("level      figure    " + "".join(f"{n:>24}" for n in names))
    counts = [str(len(g)) for g in groups(of["matched"]).values()]
    print(f"{'':11}{'rows':10}" + "".join(f"{c:>24}" for c in counts))
    for level, rows in of.items():
        for title, figure in (("error", errors), ("inside", inside), ("no fit", refused)):
            print(f"{level:11}{title:10}" + "".join(f"{figure(g):>24}" for g in groups(rows).values()))


def kind(row):
    """Returns "adapters", or the family of models that the summary names."""
    return "adapters" if "lora" in row["id"] else row["what"].split(", ")[2]


def held_out(rows):
    found = collections.defaultdict(list)
    for r in rows:
        if not vision(r) and not r["fitted"] and not GUESSED & open_fields(r):
            found[r["file"], kind(r)].append(r)
    print(f"\n{'held-out language models':32} {'kind':9} rows           error   bias")
    for (file, of), some in sorted(found.items()):
        bias = statistics.mean(r["error"] for r in some)
        print(f"{file:32} {of:9} {len(some):4} {errors(some):>15} {100 * bias:+5.1f} %")


def origin(row):
    """Returns the source of a row. All rounds of MLPerf count as one source."""
    return "mlcommons" if row["source"].startswith("mlcommons/") else row["source"]


def printed(cells, cell, without):
    """Returns the rows from which the error below the step time is computed, and a name for these rows.
    src/metrics/metric.c chooses the rows by the same rule."""
    device, software, family = cell
    every, unseen = [], []
    for (d, s, f), rows in cells.items():
        left = [r for r in rows if origin(r) != without] if (s, f) == (software, family) else []
        held = [r for r in left if not r["fitted"]]
        every += held
        if d == device:
            unseen, seen = held, left if len(held) < FEWEST <= len(left) else []
    if len(unseen) >= FEWEST:
        return unseen, "device"
    if seen and (len(every) < FEWEST or mean(seen) > mean(every)):
        return seen, "device, fitted too"
    return (every, "all") if len(every) >= FEWEST else ([], "none")


def within(ratios):
    """Counts the ratios that are within a factor of 1.3, 2 or 3.5 of 1."""
    near = [sum(1 / x <= r <= x for r in ratios) for x in (1.3, *BEYOND)]
    return f"{len(ratios)} lines: {near[0]} within a factor of 1.3, {near[1]} within 2, {near[2]} within 3.5"


def cells_of(of):
    """Groups rows by device, software profile and family of models. The line below the step time of an estimate states
    the error of one group of rows with equal device, profile and family."""
    cells = collections.defaultdict(list)
    for level in ("user", "matched"):
        for r in filter(settled, of[level]):
            if (r["software"] in BY_PLAN) == (level == "user"):
                cells[tuple(r["what"].split(", "))].append(r)
    return cells


def other_models(cells):
    """Compares the error that `nncost estimate` would print for a device with the error of rows of other models on the
    same device."""
    ratios = []
    print(f"\n{'other models left out: device':30} {'software':20} {'family':8} rows error  line ratio")
    for (device, software, family), rows in sorted(cells.items()):
        line, own = [r for r in rows if not r["fitted"]], [r for r in rows if r["fitted"]]
        if min(len(line), len(own)) >= FEWEST:
            ratios.append(mean(line) / mean(own))
            print(f"{device:30} {software:20} {family:8} {len(own):4} {100 * mean(own):5.1f} {100 * mean(line):5.1f} "
                  f"{ratios[-1]:5.2f}")
    print(within(ratios))


def other_sources(cells):
    """For each source, compares the error of its rows with the error that `estimate` would print for these rows if the
    rows of the source were left out."""
    print(f"\n{'source left out':34} {'device':18} {'software':20} {'family':8} rows error  line ratio from")
    ratios, unknown = [], 0
    for cell, rows in sorted(cells.items()):
        for one in sorted({origin(r) for r in rows}):
            own = [r for r in rows if origin(r) == one]
            if len(own) < FEWEST:
                continue
            line, what = printed(cells, cell, one)
            unknown += not line
            title = f"{one:34.34} {cell[0]:18} {cell[1]:20} {cell[2]:8} {len(own):4} {100 * mean(own):5.1f}"
            if line:
                ratios.append(mean(line) / mean(own))
                print(f"{title} {100 * mean(line):5.1f} {ratios[-1]:5.2f} {len(line)} {what}")
    print(f"{within(ratios)}; {unknown} more say that the error is not known")


def main():
    of = {level: rows_of(os.path.abspath(sys.argv[1]), sys.argv[2], level) for level in ("matched", "plan", "user")}
    levels(of)
    held_out(of["matched"])
    cells = cells_of(of)
    other_models(cells)
    other_sources(cells)


if __name__ == "__main__":
    main()
