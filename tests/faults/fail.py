#!/usr/bin/env python3
"""Runs a dozen commands and makes one allocation, write, sync or read fail in each run. With --every N, tests only
every N-th allocation; for a command with over 4 N writes or reads, tests only every N-th one.

   usage: fail.py NNCOST LIBRARY ROOT [--every N] [COMMAND]    LIBRARY: fail.c, to be preloaded

After the failure, the command must either give the same answer, or exit with 4 and print one line on standard error. If
the command exits with 4, standard output has only complete lines of the answer. An output file must be the old file or
the complete new file."""
import os
import shutil
import subprocess
import sys
import tempfile

KINDS = ("alloc", "write", "sync", "read")
SWEEP = ["sweep", "dense", "round", "--micro-batch", "1..6", "--zero", "0,1", "--devices", "8"]
# Each row has a name, arguments, and files that the command writes. Before every run of a command, the test creates the
# files of its row.
COMMANDS = (
    ("estimate", ["estimate", "dense", "round", "--micro-batch", "2"]),
    ("json", ["estimate", "unet", "round", "--format", "json", "--devices", "2"]),
    ("timeline", ["estimate", "dense", "round", "--devices", "4", "--pipeline", "2", "--data", "2", "--micro-batches",
                  "4", "--trace", "out"]),
    ("ops", ["ops", "experts", "round", "--format", "markdown"]),
    ("compare", ["compare", "dense", "round,old"]),
    ("list", ["list", "devices"]),
    ("show", ["show", "round"]),
    ("validate", ["validate", "plans.json", "round.json"]),
    ("explain", ["explain", "step_s", "dense", "round"]),
    ("sweep", SWEEP + ["--format", "csv"]),
    ("sweep-file", SWEEP + ["--format", "json", "--output", "out"]),
    ("sweep-db", SWEEP + ["--db", "rows.db"]),
    ("sweep-threads", SWEEP + ["--threads", "2", "--top", "3"]),
    ("merge", ["merge", "new.csv", "1.csv", "2.csv"]),
    ("merge-db", ["merge", "new.db", "1.db", "2.db"]),
    ("search", ["search", "dense", "round", "--devices", "4", "--global-batch", "8", "--threads", "1"]),
    ("check", ["check", "plans.json"]),
    ("update", ["check", "--update", "plans.json"]),
    ("diff", ["diff", "1.json", "2.json"]),
    ("accuracy", ["accuracy", "steps.csv"]),
    ("calibrate", ["calibrate", "products.csv", "--device", "round", "--output", "round.json"]),
    ("import", ["import", "conv.onnx"]),
    ("plot", ["plot", "memory", "dense", "round"]),
    ("report", ["report", "dense", "round", "--output", "out"]),
    ("run", ["run", "dense", "round", "--devices", "2"]),
    ("serve", ["serve", "dense", "round", "--input-len", "100", "--output-len", "50"]),
    ("serve-sweep", ["sweep", "dense", "round", "--serve", "--input-len", "100", "--output-len", "50", "--batch", "1,2"]),
    ("merge-search", ["merge", "new.json", "search1", "search2"]),
    ("budget", ["budget", "--device", "round", "--cost", "1e6", "--price", "1"]),
)
STREAMS = {"sweep"}
# NLopt is loaded when it is first needed, and then uses thread-local data. If the allocation of the thread-local data
# fails, glibc ends the program with the message below. No program can handle a failed allocation of thread-local data.
TLS = b"cannot allocate memory for thread-local data: ABORT\n"


class Bench:
    def __init__(self, program, library, root):
        self.program, self.library = program, library
        self.folder = tempfile.mkdtemp(prefix="nncost-fail.")
        self.environment = {"NNCOST_PATH": os.path.join(root, "tests/toy"), "HOME": self.folder,
                            "XDG_CONFIG_HOME": self.folder, "LC_ALL": "C", "PATH": os.environ["PATH"]}
        self.made = {}

    def run(self, arguments, **extra):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env={**self.environment, **extra},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              close_fds=False)
        return done.returncode, done.stdout, done.stderr

    def files(self):
        found = {}
        for name in sorted(os.listdir(self.folder)):
            with open(os.path.join(self.folder, name), "rb") as file:
                found[name] = file.read()
        return found

    def keep(self):
        self.made = self.files()

    def reset(self):
        now = self.files()
        for name in now.keys() - self.made.keys():
            os.remove(os.path.join(self.folder, name))
        for name, text in self.made.items():
            if now.get(name) != text:
                with open(os.path.join(self.folder, name), "wb") as file:
                    file.write(text)

    def make_inputs(self):
        def good(arguments, output=None):
            code, out, err = self.run(arguments)
            assert code == 0 or "out" == output, (arguments, code, err)
            if output is not None:
                with open(os.path.join(self.folder, output), "wb") as file:
                    file.write(out)
        toy = self.environment["NNCOST_PATH"]
        shutil.copy(os.path.join(toy, "../text/inputs/conv.onnx"), self.folder)
        shutil.copy(os.path.join(toy, "hw/round.json"), os.path.join(self.folder, "round.json"))
        shutil.copy(os.path.join(toy, "../text/inputs/steps.csv"), self.folder)
        shutil.copy(os.path.join(toy, "../text/inputs/products.csv"), self.folder)
        plans = ('{"schema": "nncost.plans/1", "common": {"model": "dense", "device": "round"}, "scenarios": ['
                 '{"id": "one", "micro_batch": 1}, {"id": "two", "micro_batch": 2, "require": {"step_s": "<= 9"}}]}\n')
        for name, text in (("plans.json", plans), ("out", "the old one\n")):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
        for n in "12":
            good(SWEEP + ["--shard", n + "/2", "--format", "csv"], n + ".csv")
            good(SWEEP + ["--shard", n + "/2", "--db", n + ".db"])
            good(["estimate", "dense", "round", "--micro-batch", n, "--format", "json"], n + ".json")
            good(["search", "dense", "round", "--devices", "2", "--global-batch", "2", "--threads", "1", "--zero", "0,1",
                  "--offload", "none", "--recompute", "none", "--best", "1", "--shard", n + "/2", "--format", "json"],
                 "search" + n)
        good(["check", "--update", "plans.json"])


def whole_lines(text, answer):
    return text == b"" or (text.endswith(b"\n") and answer.startswith(text))


def judge(name, bench, right, found, kind):
    """Returns the fault of a run, or None."""
    (code, out, err), files = found[0], found[1]
    litter = files.keys() - right[1].keys() - bench.made.keys()
    litter = {n for n in litter if not n.endswith(("-journal", "-wal"))}
    if litter:
        return "leaves " + ", ".join(sorted(litter))
    if (code, out) == right[0][:2]:
        for n, text in files.items():
            if text != right[1].get(n) and not (n.endswith(".db") or name == "sweep-db"):
                return "says it is done, but " + n + " is another"
        return None
    if kind == "alloc" and code == 127 and out == b"" and err == TLS:
        return None if files == bench.made else "is ended by the loader, and leaves other files"
    said = [line for line in err.splitlines() if b": note: " not in line]
    each = name == "validate" and len(said) == 2  # 'nncost validate' reports a fault of each file
    # SQLite reports a failed read as damage
    torn = kind == "read" and code == 3 and (b".db: " in err or b".nncost-" in err)
    # 'nncost list' names files that cannot be read, and lists the readable files
    if name == "list" and kind == "read" and code == 1:
        return None if all(b": cannot be read, " in line for line in said) else "says %r" % err[:200]
    if (code != 4 and not torn) or not (len(said) == 1 or each) or not all(s.startswith(b"nncost: ") for s in said):
        return "exit code %d, %r" % (code, err)
    if not (out == b"" or (name in STREAMS and whole_lines(out, right[0][1]))):
        return "prints %r" % out[:60]
    if kind == "alloc" and b"out of memory" not in err and b"Cannot allocate memory" not in err:
        return "says %r" % err
    for n, text in files.items():
        if n in bench.made and text not in (bench.made[n], right[1][n]) and name != "sweep-db":
            return n + " is neither the old one nor the new one"
    return None


def try_command(bench, name, arguments, every):
    count = os.path.join(bench.folder, "count")
    bench.reset()
    code, out, err = bench.run(arguments, LD_PRELOAD=bench.library, FAIL_COUNT=count)
    with open(count) as file:
        counts = [int(n) for n in file.read().split()]
    os.remove(count)
    right = (code, out, err), bench.files()
    tries, wrong = 0, []
    if code > 1:
        return 0, [("", 0, "exit code %d, %r" % (code, err))]
    for kind, most in zip(KINDS, counts):
        step = every if kind == "alloc" or most > 4 * every else 1
        for n in range(1 + (sum(name.encode()) % step), most + 1, step):
            for on in ("", "1"):
                bench.reset()
                extra = {"FAIL": "%s:%d" % (kind, n), "LD_PRELOAD": bench.library}
                if on:
                    extra["FAIL_ON"] = on
                fault = judge(name, bench, right, (bench.run(arguments, **extra), bench.files()), kind)
                tries += 1
                if fault is not None:
                    wrong.append((kind + (" from" if on else ""), n, fault))
    return tries, wrong


def main():
    arguments = sys.argv[1:]
    every = 1
    if "--every" in arguments:
        at = arguments.index("--every")
        every = int(arguments[at + 1])
        del arguments[at:at + 2]
    program, library, root = (os.path.abspath(a) for a in arguments[:3])
    bench = Bench(program, library, root)
    total, bad = 0, 0
    try:
        bench.make_inputs()
        bench.keep()
        for name, command in COMMANDS:
            if len(arguments) > 3 and name not in arguments[3:]:
                continue
            tries, wrong = try_command(bench, name, command, every)
            total += tries
            bad += len(wrong)
            print("%-14s %6d calls failed, %d wrong" % (name, tries, len(wrong)), flush=True)
            shown = {}
            for kind, n, fault in wrong:
                shown.setdefault((kind, fault), []).append(n)
            for (kind, fault), at in list(shown.items())[:6]:
                print("    %s %s: %.300s" % (kind, ",".join(map(str, at[:6])) + (" ..." if len(at) > 6 else ""), fault))
    finally:
        shutil.rmtree(bench.folder)
    print("%d calls failed, %d wrong answers" % (total, bad))
    return 1 if bad or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
