#!/usr/bin/env python3
"""Each numeric option of run, serve and budget, given alone, changes the answer or is refused.

    usage: unread.py NNCOST ROOT
"""
import os
import re
import subprocess
import sys

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.environ["NNCOST_PATH"] = root
BASES = [
    ["run", "llama3-8b", "h100", "--devices", "16", "--zero", "3", "--tokens", "1e12"],
    ["serve", "llama3-8b", "h100", "--batch", "8", "--input-len", "1024", "--output-len", "128"],
    ["budget", "--device", "h100", "--cost", "1e6"],
    ["budget", "--flops", "1e21"],
]
# Only the default is legal for this model and device: it is taken and changes nothing.
ONLY_DEFAULT = {"--virtual-stages", "--expert", "--attention-data", "--sites"}


def answer(words):
    done = subprocess.run([nncost, *words, "--format", "json", "--no-defaults"], capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, re.sub(r'"command": ?"[^"]*"', "", done.stdout)


silent, tried = [], 0
for base in BASES:
    shown = subprocess.run([nncost, base[0], "--help-all"], capture_output=True, text=True, check=True).stdout
    code, reference = answer(base)
    assert code in (0, 1), base
    for option in re.findall(r"^  (--[a-z0-9-]+) [NX]\b", shown, re.M):
        if option in base or option in ONLY_DEFAULT:
            continue
        tried += 1
        answers = [answer([*base, option, value]) for value in ("1", "2", "3", "7", "0.5", "0.1", "1000", "1e6", "1e12")]
        taken = [text for code, text in answers if code in (0, 1)]
        if taken and all(text == reference for text in taken):
            silent.append(f"{base[0]} {option}")
print(f"{tried} options, {len(silent)} change nothing and are not refused: {' '.join(silent)}")
sys.exit(1 if silent or tried < 120 else 0)
