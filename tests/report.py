#!/usr/bin/env python3
"""Tests the HTML pages that 'nncost report' writes.

    usage: report.py PROGRAM ROOT

A page must be one file below 120 kB that loads no other file. The elements of a page must be closed, and its ids must
be unique. Text from files of the user must not become HTML. The command that a page shows must write the same page
again, byte by byte.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent", "NNCOST_PATH": str(ROOT)}
OPEN = {"meta", "br", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "rect", "circle", "path"}
PAGES = [
    "llama3-8b h100 --devices 64 --tensor 4 --pipeline 4 --sequence-parallel --zero 1 --global-batch 128",
    "gpt3-175b a100 --set vocab_multiple=512 --devices 1024 --tensor 4 --pipeline 16 --virtual-stages 3 "
    "--micro-batch 1 --global-batch 3072",
    "sd1-unet a100", "sd2-unet h100 --recompute full --date 2026-01-31", "deepseek-v3 h100 --micro-batch 8",
    "unet-classic v100", "search llama3-8b h100 --devices 64 --global-batch 128 --threads 1",
    "search gpt2-xl a100 --devices 1..64 --global-batch 64 --threads 1",
]


def nncost(*words):
    done = subprocess.run([PROGRAM, *words], env=ENVIRONMENT, capture_output=True, cwd=ROOT, check=False)
    assert done.returncode < 2, f"{words}: {done.stderr.decode()}"
    return done.stdout.decode()


class Page(HTMLParser):
    """Parses a page: collects its open elements, ids, scripts and the command."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.ids, self.scripts, self.words, self.faults = [], [], 0, [], []
        self.feed(text)
        if self.stack:
            self.faults.append(f"not closed: {self.stack}")

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("src", "href", "srcset", "action", "style") or name.startswith("on"):
                self.faults.append(f"{tag} has {name}={value}")
        self.ids += [value for name, value in attrs if name == "id"]
        self.scripts += tag == "script"
        if tag not in OPEN:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if tag not in OPEN and (not self.stack or self.stack.pop() != tag):
            self.faults.append(f"</{tag}> in {self.stack}")

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "pre":
            self.words.append(data)


def check(name, text):
    page = Page(text)
    assert len(text.encode()) < 120_000, f"{name}: {len(text.encode())} bytes"
    assert not page.faults, f"{name}: {page.faults[:3]}"
    assert len(page.ids) == len(set(page.ids)), f"{name}: an id stands twice"
    assert page.scripts == 1, f"{name}: {page.scripts} scripts"
    assert not re.search(r"@import|url\((?!#)", text), f"{name}: fetches"
    return page


def main():
    largest = 0
    for words in PAGES:
        text = nncost("report", *shlex.split(words))
        page = check(words, text)
        again = shlex.split("".join(page.words))
        assert again[0] == "nncost" and nncost(*again[1:]) == text, f"{words}: not made again by {again}"
        largest = max(largest, len(text.encode()))
    with tempfile.TemporaryDirectory() as folder:
        old, new, plans = (Path(folder, name) for name in ("old.json", "new.json", "<img src=x onerror=y>.json"))
        old.write_text(nncost("estimate", "gpt2", "a100", "--format", "json"))
        new.write_text(nncost("estimate", "gpt2", "a100", "--micro-batch", "4", "--format", "json"))
        page = check("diff", nncost("report", "diff", str(old), str(new)))
        model = json.loads((ROOT / "models/gpt2.json").read_text())
        model["name"] = "<script>alert(1)</script>&\"'"
        model["id"] = plans.stem
        plans.write_text(json.dumps(model))
        page = check("hostile", nncost("report", str(plans), "a100"))
        assert shlex.split("".join(page.words))[2] == str(plans)
    print(f"{len(PAGES) + 2} pages, the largest of {largest} bytes")


try:
    main()
except AssertionError as fault:
    sys.exit(f"report: {fault}")
