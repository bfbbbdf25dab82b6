#!/usr/bin/env python3
"""Tests that the shared library exports exactly the functions that the public headers declare with NNC_API.
usage: symbols.py LIBRARY ROOT"""
import pathlib
import re
import subprocess
import sys

STATIC = re.compile(r"#ifdef NNC_STATIC_LINKING_ONLY.*?#endif /\* NNC_STATIC_LINKING_ONLY \*/", re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DECLARED = re.compile(r"^NNC_API\b[^;{]*?\b(nnc_\w+)\(", re.M)
# Finds functions declared without NNC_API and without a body. A program that calls such a function compiles, but does
# not link.
FORGOTTEN = re.compile(r"^(?!NNC_API|typedef|static|#| |\})[\w *]+?\b(nnc_\w+)\([^;{]*\);", re.M)


def main():
    library, root = sys.argv[1], pathlib.Path(sys.argv[2])
    declared, faults = set(), []
    for header in sorted((root / "include/nncost").glob("*.h")):
        text = COMMENT.sub("", STATIC.sub("", header.read_text()))
        declared |= set(DECLARED.findall(text))
        faults += [f"{header.name}: {name} has no NNC_API" for name in FORGOTTEN.findall(text)]
    listed = subprocess.run(["nm", "-D", "--defined-only", "--extern-only", library], check=True,
                            capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in listed.splitlines()}
    faults += [f"{name} is declared, but the library has no such symbol"
               for name in sorted(declared - exported)]
    faults += [f"{name} is exported, but no public header declares it"
               for name in sorted(exported - declared)]
    if len(declared) < 50:
        faults.append(f"only {len(declared)} declarations found")
    print("\n".join(faults) if faults else f"{len(declared)} functions")
    return 1 if faults else 0


sys.exit(main())
