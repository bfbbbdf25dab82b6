#!/usr/bin/python3
"""fit.py NNCOST TABLE.csv... --device ID --fit PARAMETER[,PARAMETER...] [options]: fits a whole kernel model of a device.

Maintainers fit the numbers of hw/*.json with this program. fit.py changes several fields of a device together until the
predictions of measured rows (tables of canonical.py) have the smallest error, and prints a range for each field. Users
call `nncost calibrate`, which fits only parameters that their rows determine.

    --fit A,B        fields of the device; "efficiency." may be left out: gemm.bf16.k_fill,attention.flash3.seq_half
    --only TEXT      rows whose id holds the text
    --parts N        cross-validation over N parts of the rows by a digest of their ids (default 5; 0 = none)
    --group KEYS     keeps rows together in a part: file, source, device, framework, model
    --starts N       further starts around the best point (default 2)
    --seed N         of these starts (default 1)
    --output FILE    the fitted fields as JSON, for the "efficiency" object

Every prediction comes from `NNCOST accuracy TABLES --set FIELD=VALUE --format json`. Nelder-Mead minimises the mean
over the files of the mean of |ln(predicted / measured)| over the rows of a file, within the limits of
docs/schema/device.json. fit.py changes factors and times above 0 by ratios. The range of a field is the mean +- one
standard deviation of its values in the fits of the cross-validation. """
import argparse
import collections
import json
import os
import subprocess
import sys

import numpy
from scipy import optimize

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEP = 0.2  # size of the first simplex: 20 %, or 0.2 of the usual size
# weight of the start values, divided by the number of rows; the weight keeps parameters near their start if the rows do
# not determine them
PULL = 0.01
USUAL = {"fixed_s": 5e-6, "log2_s": 3e-6, "step_fixed_s": 5e-5, "scale_out_fixed_s": 1e-4, "k_fill": 150.0,
         "wave_quantization": 0.5, "seq_half": 400.0, "block_penalty": 0.5, "knee_bytes": 4e6, "small_group_loss": 0.5,
         "l2_bytes_per_flop": 0.02, "unaligned_ratio": 1.5}


class Program:
    """Runs nncost with given values of the fields of a device."""

    def __init__(self, arguments):
        self.run_line = [arguments.nncost, "accuracy", *arguments.tables, "--format", "json"]
        if arguments.only:
            self.run_line += ["--only", arguments.only]
        self.group = ["--group", arguments.group] if arguments.group else []
        self.device = self.id_of(arguments.nncost, arguments.device)
        self.calls = 0

    @staticmethod
    def id_of(nncost, device):
        shown = json.loads(subprocess.run([nncost, "show", device, "--format", "json"], check=True,
                                          capture_output=True, text=True).stdout)
        return {f["field"]: f["value"] for f in shown["fields"]}

    def rows(self, values, fold=None):
        """Returns ln(predicted / measured) for the rows of the device, by id and file."""
        line = list(self.run_line)
        for name, value in values.items():
            line += ["--set", f"device.{name}={value!r}"]
        if fold:
            line += ["--fold", fold, *self.group]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        self.calls += 1
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
        found = [r for r in json.loads(done.stdout)["rows"]
                 if r["device"] == self.device["id"] and r["error"] is not None and not r["undecided"]]
        return [(r["file"], r["id"], float(numpy.log1p(r["error"]))) for r in found]


def weighted(rows):
    """Returns errors and their weights: each file has the same weight, divided evenly over its rows."""
    counts = collections.Counter(file for file, _, _ in rows)
    weights = numpy.array([1.0 / counts[file] / len(counts) for file, _, _ in rows])
    return numpy.array([error for _, _, error in rows]), weights


def limits_of(field):
    """Returns the limits of a field in the schema, where a pattern stands for the number formats."""
    with open(os.path.join(ROOT, "docs/schema/device.json"), encoding="utf-8") as file:
        at = json.load(file)
    for part in field.split("."):
        formats = list(at.get("patternProperties", {}).values())
        at = at.get("properties", {}).get(part) or (formats[0] if formats else {})
    return at.get("minimum", at.get("exclusiveMinimum", 0.0)), at.get("maximum", numpy.inf)


class Parameter:
    """A field that the fit changes: the fit multiplies a value above 0 by factors; to a value that is not above 0, it
    adds multiples of the usual size."""

    def __init__(self, field, before):
        self.field, self.before = field, before
        usual = USUAL.get(field.rsplit(".", 1)[-1], 1.0)
        self.ratio = before is not None and before > 0
        self.start = before if before is not None else usual
        self.size = usual
        self.low, self.high = limits_of(field)

    def value(self, x):
        value = self.start * float(numpy.exp(x * STEP)) if self.ratio else self.start + x * STEP * self.size
        return float(f"{min(max(value, self.low), self.high):.6g}")


def fit(program, parameters, fold, at, starts, random):
    """Returns the values with the smallest mean error on the rows of a fold (x in steps from the start), and this
    error."""
    count = len(weighted(program.rows({}, fold))[0])
    if count == 0:
        sys.exit(f"no row of {program.device['id']} that can be predicted")

    def objective(x):
        errors, weights = weighted(program.rows({p.field: p.value(v) for p, v in zip(parameters, x)}, fold))
        return float(weights @ numpy.abs(errors)) + PULL / count * float(numpy.sum(numpy.log1p(x * x)))

    best = None
    for start in [numpy.array(at)] + [numpy.array(at) + random.normal(size=len(at)) for _ in range(starts)]:
        simplex = numpy.vstack([start, start + numpy.eye(len(start))])
        found = optimize.minimize(objective, start, method="Nelder-Mead",
                                  options={"initial_simplex": simplex, "xatol": 1e-3, "fatol": 1e-5,
                                           "maxfev": 120 * len(start)})
        if best is None or found.fun < best.fun:
            best = found
    return best.x


def percent(rows):
    errors, weights = weighted(rows)
    return 100 * float(weights @ numpy.abs(numpy.expm1(errors))), 100 * float(numpy.median(numpy.abs(numpy.expm1(errors))))


def cross_validate(program, parameters, at, parts):
    """Returns the errors of each part, predicted by a fit on the other parts, and the values of these fits."""
    errors, values = [], []
    for part in range(1, parts + 1):
        held = program.rows({}, f"{part}/{parts}")
        if not held:
            continue
        x = fit(program, parameters, f"not:{part}/{parts}", at, 0, None)
        fitted = {p.field: p.value(v) for p, v in zip(parameters, x)}
        errors += program.rows(fitted, f"{part}/{parts}")
        values.append(list(fitted.values()))
    return errors, numpy.array(values)


def report(parameters, values, spread):
    width = max(len(p.field) for p in parameters)
    print(f"{'parameter':{width}}  {'before':>12}  {'after':>12}  range")
    for i, p in enumerate(parameters):
        edge = "  at its limit" if values[i] in (p.low, p.high) else ""
        scatter = ""
        if len(spread) > 1:
            mean, deviation = spread[:, i].mean(), spread[:, i].std(ddof=1)
            scatter = f"{mean - deviation:.4g} to {mean + deviation:.4g}"
        before = "-" if p.before is None else f"{p.before:.6g}"
        print(f"{p.field:{width}}  {before:>12}  {values[i]:>12.6g}  {scatter}{edge}")


def write(path, values, note):
    tree = {}
    for field, value in values.items():
        *objects, name = field.split(".")
        at = tree
        for part in objects:
            at = at.setdefault(part, {})
        at[name] = value
        at["fitted_on"] = note
    with open(path, "w", encoding="utf-8") as file:
        json.dump(tree, file, indent=2)
        file.write("\n")


def read_arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("nncost")
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--device", required=True)
    parser.add_argument("--fit", required=True)
    parser.add_argument("--only")
    parser.add_argument("--group")
    parser.add_argument("--parts", type=int, default=5)
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    program = Program(arguments)
    names = [n if n in program.device else "efficiency." + n for n in arguments.fit.split(",")]
    for name in names:
        if name not in program.device:
            sys.exit(f"{name}: no field of {program.device['id']}")
    parameters = [Parameter(name, program.device[name]) for name in names]
    random = numpy.random.default_rng(arguments.seed)
    before = program.rows({})
    x = fit(program, parameters, None, [0.0] * len(names), arguments.starts, random)
    values = {p.field: p.value(v) for p, v in zip(parameters, x)}
    after = program.rows(values)
    held, spread = ([], numpy.array([]))
    if arguments.parts > 1:
        held, spread = cross_validate(program, parameters, x, arguments.parts)
    report(parameters, list(values.values()), spread)
    print(f"{len(after)} rows of {program.device['id']}, mean and median error:")
    for what, rows in (("before", before), ("after", after), ("cross-validated", held)):
        if rows:
            print("{:16} {:6.2f} %  {:6.2f} %".format(what, *percent(rows)))
    if arguments.output:
        files = sorted({os.path.basename(path) for path in arguments.tables})
        write(arguments.output, values, f"{', '.join(files)}: {len(after)} rows of {program.device['id']}, tools/lab/fit.py")


if __name__ == "__main__":
    main()
