#!/usr/bin/env python3
"""Stops sweeps with signals. Afterwards, the output file must have only whole rows, or be the old file, and no
temporary file may be left.
   usage: signals.py NNCOST"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

SWEEP = ["sweep", "gpt2", "h100", "--micro-batch", "1..1000", "--micro-batches", "1..1000", "--format", "csv",
         "--threads", "1"]


def run(program, output, number, seconds=0.15):
    """Returns the exit code and the output of a sweep that gets a signal."""
    with open("stdout", "wb") as stdout:
        sweep = subprocess.Popen([program, *SWEEP, *(["--output", output] if output else [])], stdout=stdout,
                                 stderr=subprocess.PIPE)
        time.sleep(seconds)
        sweep.send_signal(number)
        said = sweep.communicate()[1]
    with open(output or "stdout", "rb") as file:
        return sweep.returncode, file.read(), said


def check(good, *what):
    if not good:
        print(*what)
        sys.exit(1)


def whole(text):
    rows = text.split(b"\r\n")
    return len(rows) > 2 and rows.pop() == b"" and len({row.count(b",") for row in rows}) == 1


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="nncost-signals.") as folder:
        os.chdir(folder)
        for name in ("HUP", "INT", "TERM", "USR1", "XCPU"):
            number = getattr(signal, "SIG" + name)
            for output in ("out.csv", None):
                code, text, said = run(program, output, number)
                check(code == 128 + number, name, "exit code", code, said)
                check(whole(text), name, "a row is torn", text[-200:])
                check(said.count(b"\n") == 1 and b"stopped after" in said, name, said)
        with open("out.csv", "wb") as file:
            file.write(b"old\n")
        before = sorted(os.listdir("."))
        for name in ("KILL", "QUIT"):
            code, text, _ = run(program, "out.csv", getattr(signal, "SIG" + name))
            check(code < 0 and text == b"old\n", name, code, text[:100])
            check(sorted(n for n in os.listdir(".") if not n.startswith("core")) == before, name, os.listdir("."))
        # If a file exceeds the limit on file sizes, the program must report a full disk, and must not be ended by a
        # signal.
        limited = subprocess.run([program, *SWEEP], stdout=open("stdout", "wb"), stderr=subprocess.PIPE, check=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
        with open("stdout", "rb") as file:
            text = file.read()
        check(limited.returncode == 4 and whole(text), "limit", limited.returncode, limited.stderr, len(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
