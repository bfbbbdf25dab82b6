#!/usr/bin/env python3
"""Validates what commands print with --format json against the schemas of 'nncost docs schema'.

    usage: schema.py PROGRAM ROOT

A member that its schema does not name is a fault here, though a schema lets later versions add some.
Runs on the toy devices and models. Exits with 77 where jsonschema (Debian: python3-jsonschema) is
missing.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("schema: skipped, python3-jsonschema is not installed")
    sys.exit(77)

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])

CLUSTER = "dense round --devices 16 --tensor 2 --pipeline 2 --micro-batches 4 --sequence-parallel"
COMMANDS = {
    "estimate": [
        "dense round",
        "dense round --mode ideal --tokens 1e9 --price 2",
        "dense round --set hidden=256 --recompute full --offload optimizer",
        "dense round --micro-batch 4096",
        "unet round --samples 1e6",
        "experts round --devices 8 --expert 8 --zero 1",
        f"{CLUSTER} --stages --timeline --sensitivity",
    ],
    "ops": ["dense round", "unet old", f"{CLUSTER}"]
    + [f"dense round --by {by} --sort time --top 3" for by in ("op", "group", "phase")],
    "compare": ["dense,unet round,old --micro-batch 1,2"],
    "search": [
        "dense round --devices 8 --global-batch 64 --threads 1",
        "dense round --devices 8 --global-batch 64 --tokens 1e9 --target-step 1ms --threads 1",
        "dense round --devices 4,8 --global-batch 64 --threads 1",
        "dense round --devices 8 --global-batch 64 --shard 1/2 --threads 1",
        "dense round --devices 4,8 --global-batch 64 --shard 1/2 --threads 1",
        "dense round --devices 8 --global-batch 64 --max-memory 1000 --threads 1",
    ],
    "sweep": [
        "dense round,old --devices 8 --tensor 1,2,3 --all",
        "unet round --image 256,512 --columns row,image,step_s,memory.fits,device.mem_bytes,recompute",
    ],
    "check": ["plans.json", "moved.json"],
    "diff": ["estimate.json other.json", "plans.json moved.json"],
    "accuracy": [f"{ROOT}/tests/text/inputs/{name}.csv" for name in
                 ("steps", "parts", "products", "collectives")],
    "calibrate": [f"{ROOT}/tests/text/inputs/{name}.csv --device round" for name in
                  ("fit-steps", "products")],
}


def strict(schema):
    """The schema with every object closed."""
    if isinstance(schema, dict):
        if "properties" in schema and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
        for value in schema.values():
            strict(value)
    elif isinstance(schema, list):
        for value in schema:
            strict(value)
    return schema


def main():
    faults = documents = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": folder, "XDG_CONFIG_HOME": folder,
            "NNCOST_PATH": str(ROOT / "tests/toy"),
        }

        def run(*words):
            done = subprocess.run([PROGRAM, *words], cwd=folder, env=environment,
                                  capture_output=True, text=True, check=False)
            if words[0] == "calibrate" and "NLopt" in done.stderr:
                return ""  # built without it
            if done.returncode > 1:
                sys.exit(f"schema: nncost {' '.join(words)}: {done.stderr}")
            return done.stdout

        prepare(run, Path(folder))
        for kind, commands in COMMANDS.items():
            schema = json.loads(run("docs", "schema", kind))
            Draft202012Validator.check_schema(schema)
            validator = Draft202012Validator(strict(schema))
            for command in commands:
                for text in documents_of(kind, run(kind, *command.split(), "--format", "json")):
                    documents += 1
                    document = json.loads(text)
                    for error in validator.iter_errors(document):
                        faults += 1
                        print(f"nncost {kind} {command}: {error.json_path}: {error.message[:200]}")
                    if validator.is_valid(document | {"unknown": 1}):
                        faults += 1
                        print(f"{kind}: the schema takes anything")
    print(f"{documents} documents, {faults} faults")
    sys.exit(1 if faults or documents < 30 else 0)


def documents_of(kind, text):
    return text.splitlines() if kind == "sweep" else [text] if text else []


def prepare(run, folder):
    """Plan files and estimates that the commands above read."""
    plans = folder / "plans.json"
    plans.write_text(run("init", "dense", "round"))
    run("check", "plans.json", "--update")
    moved = json.loads(plans.read_text())
    moved["scenarios"][0]["micro_batch"] = 2
    moved["scenarios"][0]["require"]["mfu"] = ">= 0.99"
    (folder / "moved.json").write_text(json.dumps(moved))
    (folder / "estimate.json").write_text(run("estimate", "dense", "round", "--format", "json"))
    (folder / "other.json").write_text(
        run("estimate", "dense", "round", "--micro-batch", "2", "--format", "json"))


main()
