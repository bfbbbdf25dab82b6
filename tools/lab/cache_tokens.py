#!/usr/bin/env python3
"""Compares the predicted number of tokens that fit in the KV cache with the number in start-up logs of serving engines:
cache_tokens.py [NNCOST].

Reads tests/published/cache_tokens.csv and prints, per engine, the mean and the median of |predicted / logged - 1|, and
each row with --rows."""
import csv
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def predicted(program, options):
    run = subprocess.run([program, "serve", *options.split(), "--format", "json"], cwd=ROOT, capture_output=True,
                         text=True, check=False)
    if not run.stdout:
        sys.exit(f"{options}: {run.stderr}")
    return json.loads(run.stdout)["memory"]["max_tokens"]


def main():
    words = [word for word in sys.argv[1:] if word != "--rows"]
    program = words[0] if words else str(ROOT / "build/dev/nncost")
    errors = {}
    with open(ROOT / "tests/published/cache_tokens.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            tokens = predicted(program, f"{row['options']} --software {row['software']}")
            error = tokens / float(row["tokens"]) - 1.0
            errors.setdefault((row["software"], row["fitted"]), []).append(error)
            if "--rows" in sys.argv:
                print(f"{row['software']:13} {row['options']:96} {row['tokens']:>9} {tokens:>9.0f} {100 * error:+6.1f}%")
    for (software, fitted), values in errors.items():
        sizes = [abs(value) for value in values]
        print(f"{software:13} {'fitted' if fitted == '1' else 'unfitted':8} {len(values):3} logs  "
              f"mean {100 * statistics.mean(sizes):5.2f}%  median {100 * statistics.median(sizes):5.2f}%  "
              f"largest {100 * max(values, key=abs):+.1f}%")


if __name__ == "__main__":
    main()
