#!/usr/bin/env python3
"""spreads.py NNCOST SOURCE: fits the widths of the 90 % ranges of step times, and counts how many measured steps are
inside their ranges.

The square of the half-width of a range is a sum of squares of parts. One part of the half-width is a constant of the
software profile, stored in its key "spread". Two parts of the half-width are proportional to the shares of network and
of idle time in the step time. Two further parts of the half-width are for a device without fitted values, and for a
model with experts. If the profile was measured on the device with models of this kind, its entry in "ranges" replaces
the constant part and the parts of device and experts. The constant parts are fitted on measured rows whose CRC-32 is
even and that state how the devices are used. For profiles that a plan gets by default, the rows of the fit are
predicted without a named framework. The fit takes the smallest half-width that contains the share USUAL of the rows,
times TIMES, so that no single row decides. If there are few rows, the result is a weighted mean of the fitted value and
a more general value. For an entry of "ranges", the more general value is the value of the software profile that contains the entry. For
the spread of a profile, the more general value is the constant UNKNOWN. USUAL and TIMES were chosen so that nine of ten
rows of a file are inside their ranges when the fit leaves this file out. Nine of ten rows are inside their ranges with
and without a named framework, for language models and for vision networks. With ACCEPT=1, writes the fitted values into
the profiles.

For vision, rows of different sources differ more than rows of one source. All vision plans without a named framework
get the same half-width: the smallest half-width that contains nine of ten rows, at most WIDEST. In the search for the
half-width of vision plans, every source has the same weight, however many rows it has."""
import collections
import csv
import datetime
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

KINDS = ("network", "idle", "kernels", "carried", "experts")
# the upper end of a range is farther from the prediction by this share of the half-width, and the lower end is nearer
# by the same share
SKEW = 0.15
UNKNOWN = 0.28  # half-width of a profile without measurements
OF_PROFILES, OF_RANGES = 6, 8  # the more general value has the weight of this number of rows
FEWEST = 4  # a vision network with fewer rows has the value of its profile
MOST = 3  # a group of one source and model counts as at most this number of rows
USUAL, TIMES = 0.7, 2


def settled(row):
    """Returns false for a row that leaves its plan, its network or a deciding field open, because such a row gives no
    information about the profile."""
    return not {"quality B", "parallelism", "network"} & set(row["undecided"].split(", "))


# Profiles that a plan gets by default. The ranges of these profiles are fitted on rows that are predicted without a
# named framework, as in a command without --software.
BY_PLAN = {"torch-compile", "fsdp", "megatron", "maxtext", "torch-1", "fsdp-1", "torch-1-maps"}

# Rows of newer devices come from few programs with tuned kernels. To the rows of torch-compile, the script adds the
# rows of torch-1-maps on older devices, because these rows show how much slower other programs can be.
POOLED = {"torch-compile": "torch-1-maps"}

OTHER = "training_vision_other.csv"  # rows of several sources
OF_VISION = {"training_mlperf_vision.csv", "training_deeplearningexamples.csv", "training_timm_rtx3090.csv", OTHER}
OF_MAPS = ("graph", "unet", "vit")  # families of vision models; they need no rows in the fit
WIDEST, SHARE, SLOW = 0.6, 0.9, 0.4  # SLOW: SKEW for vision, because programs are seldom faster than predicted


def family(row):
    return row["what"].split(", ")[2]


def by_default(row):
    """Returns true for a vision plan without a named framework. Text encoders count as models of the family
    "decoder"."""
    return row["file"] in OF_VISION and row["software"] in BY_PLAN and family(row) != "decoder"


def origin(row):
    return row["source"] if row["file"] == OTHER else row["file"]


def at_level(program, files, data, level):
    out = subprocess.run([program, "accuracy", *files, "--summary", "--rows", "--level", level, "--format", "json"],
                         capture_output=True, text=True, check=True, env={**os.environ, "NNCOST_PATH": data}).stdout
    rows = [r for r in json.loads(out)["rows"] if (r["software"] in BY_PLAN) == (level == "user")]
    return [dict(r, id=level + " " + r["id"]) for r in rows]


def rows_of(program, source, data):
    files = sorted(glob.glob(os.path.join(source, "tests/published/training_*.csv")) +
                   glob.glob(os.path.join(source, "tests/published/h100/training_*.csv")))
    # training_vtrain_single.csv contains step times composed of parts, not measured steps
    files = [f for f in files if "vtrain_single" not in f]
    rows = at_level(program, files, data, "user") + at_level(program, files, data, "matched")
    return [r for r in rows
            if r["kind"] == "step" and r["error"] is not None and r["high_s"] and settled(r)]


def half(row):
    return math.log(row["high_s"] / row["predicted_s"]) / (1 + SKEW)


def cell(row, members):
    """Returns profile, device, and the family of models; for networks that are graph files, the name of the file."""
    device, software, family = row["what"].split(", ")
    if family == "graph":
        family = (members.get(row["model"]) or row["model"]).split()[0]
    return software, device, family


def networks(source):
    """Returns "MODEL FIELD=VALUE ..." of each network by its published name."""
    with open(os.path.join(source, "foreign/names/members.json"), encoding="utf-8") as file:
        found = dict(json.load(file)["members"])
    for path in glob.glob(os.path.join(source, "tests/published/training_*.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[row.get("model_name", "")] = row.get("model", "")
    return found


def measured(program, source):
    """Returns the rows. Each row has, for each kind in KINDS, the share of this kind in the width of the row's range.
    To find this share, the function sets all other kinds to 0 and reads the width."""
    found = {}
    with tempfile.TemporaryDirectory() as data:
        for name in ("hw", "models"):
            os.symlink(os.path.abspath(os.path.join(source, name)), os.path.join(data, name))
        os.mkdir(os.path.join(data, "software"))
        for kind in KINDS:
            for path in glob.glob(os.path.join(source, "software", "*.json")):
                with open(path, encoding="utf-8") as file:
                    profile = json.load(file)
                profile.pop("ranges", None)
                profile["spread"] = {"own": 1e-9, **{k: float(k == kind) for k in KINDS}, "fitted_on": "-"}
                with open(os.path.join(data, "software", os.path.basename(path)), "w", encoding="utf-8") as file:
                    json.dump(profile, file)
            for row in rows_of(program, source, data):
                found.setdefault(row["id"], row)[kind] = half(row)
    members = networks(source)
    for row in found.values():
        row["cell"] = cell(row, members)
    return list(found.values())


def figures(source):
    """Returns the factors that all profiles share: the defaults in the schema."""
    with open(os.path.join(source, "docs/schema/software.json"), encoding="utf-8") as file:
        fields = json.load(file)["properties"]["spread"]["properties"]
    return {k: float(re.search(r"Default: ([0-9]+(?:\.[0-9]+)?)", fields[k]["description"]).group(1)) for k in KINDS}


def width(row, own, shared, known):
    """Returns the half-width of a range. known: `own` is the entry of a cell (profile, device and kind of model), so
    the parts for device and experts are left out."""
    kinds = KINDS[:2] if known else KINDS
    return math.sqrt(own * own + sum((shared[k] * row[k]) ** 2 for k in kinds))


def holds(half_width, skew, log_error):
    return -(1 - skew) * half_width <= log_error <= (1 + skew) * half_width


def error(row):
    return math.log(row["measured_s"] / row["predicted_s"])


def said(rows):
    """Returns the number of rows, where a group of one source and model counts as at most MOST rows."""
    counts = collections.Counter((r["source"], r["model"]) for r in rows)
    return sum(min(n, MOST) for n in counts.values())


def fit(rows, shared, known, prior, weight):
    """Returns the weighted mean of `prior` and of TIMES x the smallest half-width that contains the share USUAL of the
    rows. A group of one source and model counts as at most MOST rows."""
    counts = collections.Counter((r["source"], r["model"]) for r in rows)
    shares = [(width(r, 0.0, shared, known) ** 2, error(r), min(1, MOST / counts[r["source"], r["model"]]))
              for r in rows]
    total = sum(w for _, _, w in shares)

    def held(own):
        return sum(w for square, e, w in shares if holds(math.sqrt(own * own + square), SKEW, TIMES * e))
    best = next((x / 100 for x in range(2, 150) if held(x / 100) >= USUAL * total), 1.5)
    n = said(rows)
    return (best * n + prior * weight) / (n + weight)


def fit_vision(rows, shared):
    """Returns the smallest half-width that contains the share SHARE of the rows, at most WIDEST. Every source has the
    same weight."""
    counts = collections.Counter(origin(r) for r in rows)

    def held(own):
        return sum(1 / counts[origin(r)] for r in rows if holds(width(r, own, shared, True), SLOW, error(r)))
    return next((x / 100 for x in range(2, 60) if held(x / 100) >= SHARE * len(counts)), WIDEST)


def fit_all(rows, shared):
    """Returns the constant part of the half-width of each profile, of each profile with device and kind of model, and
    of each profile with kind of vision model."""
    profiles, cells = collections.defaultdict(list), collections.defaultdict(list)
    for r in rows:
        profiles[r["software"]].append(r)
        cells[r["cell"]].append(r)
    of = {k: v + profiles.get(POOLED.get(k), []) for k, v in profiles.items()}
    own = {k: round(fit(v, shared, True, UNKNOWN, OF_PROFILES), 3) for k, v in of.items()}
    vision = [r for r in rows if by_default(r)]
    wide = fit_vision(vision, shared)
    own.update({(name, "", of): wide for name in {r["software"] for r in vision} for of in OF_MAPS})
    for key, v in cells.items():
        if by_default(v[0]) or (v[0]["file"] in OF_VISION and len(v) < FEWEST):
            continue
        prior = math.sqrt(own[v[0]["software"]] ** 2 + sum((shared[k] * v[0][k]) ** 2 for k in KINDS[2:]))
        own[key] = round(fit(v, shared, True, prior, OF_RANGES), 3)
    return own, profiles


def half_of(row, own, shared):
    """Returns half-width and skew of the range of a row."""
    software, known = row["software"], row["cell"] in own
    of_group = own.get((software, "", family(row)), own.get(software, UNKNOWN))
    half_width = width(row, own[row["cell"]] if known else of_group, shared, known)
    return half_width, SLOW if by_default(row) and not known else SKEW


def inside(rows, halves):
    hits = wide = 0.0
    for r, (h, skew) in zip(rows, halves):
        bound = r["lower_bound_s"]
        low = max(-(1 - skew) * h, math.log(bound / r["predicted_s"])) if bound else -(1 - skew) * h
        hits += low <= error(r) <= (1 + skew) * h
        wide += (1 + skew) * h - low
    return f"{len(rows):5} rows, {100 * hits / len(rows):5.1f} % inside, x{math.exp(wide / len(rows) / 2):.2f}"


def device_of(device):
    return f'"device": "{device}", ' if device else ""


def slow_of(device):
    return "" if device else f', "skew": {SLOW:g}'


def undated(text):
    """Returns the text of a profile without the counts and the date of the fit."""
    return re.sub(r'"fitted_on": "[^"]*of even CRC-32[^"]*"', "", text)


def write(source, own, by):
    today = datetime.date.today()
    cells = sorted(k for k in own if isinstance(k, tuple) and k[0])
    for path in sorted(glob.glob(os.path.join(source, "software", "*.json"))):
        name = os.path.basename(path)[:-5]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if name not in by and not any(key in text for key in ('"spread"', '"stands_for": [')):
            continue
        groups = {(r["source"], r["model"]) for r in by.get(name, [])}
        fitted = (f"{len(by[name])} rows of {len(groups)} groups of source and model of even CRC-32, training_*.csv of "
                  f"tests/published; {today}" if groups else
                  "no rows of groups of even CRC-32: that of profiles which no fit saw")
        block = f'"spread": {{ "own": {own.get(name, UNKNOWN):g}, "fitted_on": "{fitted}" }},\n  '
        lines = ",\n".join(f'    {{ {device_of(d)}"of": "{of}", "own": {own[(n, d, of)]:g}{slow_of(d)} }}'
                           for n, d, of in cells if n == name)
        block += f'"ranges": [\n{lines}\n  ],\n  ' if lines else ""
        before = text
        after = ('"spread"',) if '"spread"' in text else ('"stands_for": [', '"reserve"', '"sources"')
        at = min(text.index(key) for key in after if key in text)
        text = re.sub(r'"spread": \{[^}]*\},\s*', "", text)
        text = re.sub(r'"ranges": \[[^\]]*\],\n  ', "", text)
        text = text[:at] + block + text[at:]
        if undated(text) != undated(before):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


def main():
    program, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    rows, shared = measured(program, source), figures(source)
    seen, other = [r for r in rows if r["fitted"]], [r for r in rows if not r["fitted"]]
    own, by = fit_all(seen, shared)
    for name in sorted(n for n in by if n):
        print(f"{name:24} {own[name]:.3f} {len(by[name]):4} rows")

    def report(title, of):
        print(title, inside(of, [half_of(r, own, shared) for r in of]))
    report("rows to fit on", seen)
    report("the other rows", other)
    for what, value in (("file", lambda r: origin(r) if by_default(r) else r["file"]), ("device", lambda r: r["device"])):
        left = []
        for one in sorted({value(r) for r in rows}):
            without, _ = fit_all([r for r in seen if value(r) != one], shared)
            left += [(r, half_of(r, without, shared)) for r in rows if value(r) == one]
        for vision, topic in ((False, "language"), (True, "vision and encoders")):
            for by_plan, known in ((False, "named"), (True, "not named")):
                some = [x for x in left if (x[0]["file"] in OF_VISION) == vision
                        and (x[0]["software"] in BY_PLAN) == by_plan]
                print(f"each {what} left out, {topic}, framework {known}:", inside(*zip(*some)))
        if what == "file":
            for one in sorted({origin(r) for r, _ in left if by_default(r)}):
                print(f"  {one} left out:", inside(*zip(*[x for x in left if by_default(x[0]) and origin(x[0]) == one])))
    if os.environ.get("ACCEPT"):
        write(source, own, by)


if __name__ == "__main__":
    main()
