#!/usr/bin/env python3
"""Validates the JSON output of commands against the schemas that 'nncost docs schema' prints.

    usage: schema.py PROGRAM ROOT

The test fails if an output has a key that its schema does not name, although the schemas allow further keys. The
commands use the devices and models of tests/toy. Exits with 77 (skipped) if jsonschema (Debian: python3-jsonschema) is
missing.
"""
import json
import sys

from documents import COMMANDS, ROOT, Folder

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("schema: skipped, python3-jsonschema is not installed")
    sys.exit(77)


def strict(schema):
    """Returns the schema, changed so that no object may have keys that the schema does not name."""
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
    with Folder() as folder:
        validators = {}
        for kind in COMMANDS:
            schema = json.loads(folder.run("docs", "schema", kind))
            Draft202012Validator.check_schema(schema)
            validators[kind] = Draft202012Validator(strict(schema))
        for kind, command, document in folder.documents():
            documents += 1
            for error in validators[kind].iter_errors(document):
                faults += 1
                print(f"nncost {kind} {command}: {error.json_path}: {error.message[:200]}")
            if validators[kind].is_valid(document | {"unknown": 1}):
                faults += 1
                print(f"{kind}: the schema takes anything")
        schema = json.loads(folder.run("docs", "schema", "plan"))
        Draft202012Validator.check_schema(schema)
        plans = Draft202012Validator(schema)
        for path in (ROOT / "tests/text/inputs/plans.json", ROOT / "tests/baseline.json",
                     folder.path / "plans.json"):
            documents += 1
            document = json.loads(path.read_text())
            for error in plans.iter_errors(document):
                faults += 1
                print(f"{path}: {error.json_path}: {error.message[:200]}")
            first = document["scenarios"][0]
            for key, value in (("tensr", 2), ("tensor", "two"), ("id", "a,b"), ("zero", 4)):
                bad = document | {"scenarios": [first | {key: value}]}
                if plans.is_valid(bad):
                    faults += 1
                    print(f"{path}: the schema takes {key} {value}")
    print(f"{documents} documents, {faults} faults")
    sys.exit(1 if faults or documents < 30 else 0)


main()
