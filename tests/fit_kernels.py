#!/usr/bin/python3
"""fit_kernels.py NNCOST SOURCE: computes rows of kernel times from known constants, and tests that tools/lab/fit.py
finds these constants in the rows. Exits with 77 (skipped) if SciPy is missing."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

HEAD = "id,device,devices,nodes,op,dtype,bytes,measured_s\n"
WANTED = {"bus_fraction": 0.5, "fixed_s": 2e-5}
FIELD = "efficiency.collectives.all_reduce."


def table(path, times):
    sizes = [1e4 * 8 ** i for i in range(6)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"row{i},a100,8,1,all_reduce,bf16,{size},{times.get(f'row{i}', 1)}\n"
                                  for i, size in enumerate(sizes)))


def main():
    if importlib.util.find_spec("scipy") is None:
        sys.exit(77)
    program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        rows, fitted = os.path.join(folder, "rows.csv"), os.path.join(folder, "fitted.json")
        environment = {**os.environ, "NNCOST_PATH": source}
        table(rows, {})
        sets = [part for name, value in WANTED.items() for part in ("--set", f"device.{FIELD}{name}={value}")]
        out = subprocess.run([program, "accuracy", rows, "--rows", "--format", "json", *sets], check=True,
                             capture_output=True, text=True, env=environment).stdout
        table(rows, {row["id"]: repr(row["predicted_s"]) for row in json.loads(out)["rows"]})
        subprocess.run([sys.executable, os.path.join(source, "tools/lab/fit.py"), program, rows, "--device", "a100",
                        "--fit", ",".join(FIELD + name for name in WANTED), "--parts", "2", "--starts", "0",
                        "--output", fitted], check=True, env=environment)
        with open(fitted, encoding="utf-8") as file:
            found = json.load(file)["efficiency"]["collectives"]["all_reduce"]
    for name, value in WANTED.items():
        if abs(found[name] / value - 1) > 0.02:
            sys.exit(f"{name}: expected {value}, found {found[name]}")


main()
