#!/usr/bin/env python3
"""Kills commands at random moments while they write files. Afterwards, an output file must be the old file or the
complete new file, a database must be usable, and no temporary file may be left.
   usage: kills.py NNCOST N [SEED]"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../text/inputs")
TOYS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../toy")
SWEEP = ["sweep", "dense", "fitted", "--micro-batch", "1,2", "--seq-len", "1..200", "--micro-batches", "1..40"]


def check(good, *what):
    if not good:
        print(*what)
        sys.exit(1)


def read(name):
    if not os.path.exists(name):
        return None
    with open(name, "rb") as file:
        return file.read()


class Killer:
    def __init__(self, program, seed):
        self.program, self.random, self.killed = program, random.Random(seed), 0

    def whole(self, arguments):
        begun = time.monotonic()
        subprocess.run([self.program, *arguments], check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - begun

    def kill(self, arguments, seconds):
        child = subprocess.Popen([self.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.random.random() * seconds)
        child.kill()
        self.killed += child.wait() == -9

    def files(self, name, arguments, begin):
        """Kills a command that writes the file `name`. begin() creates the file that existed before the command."""
        begin()
        old = read(name)
        took = self.whole(arguments)
        new = read(name)
        begin()
        before = sorted(os.listdir("."))
        self.kill(arguments, 1.2 * took)
        check(read(name) in (old, new), name, "is neither the old one nor the new one")
        left = set(os.listdir(".")) - set(before) - {name}
        # While SQLite writes a merged database, the database has a temporary file, because SQLite opens files by name.
        # See docs/sweeping.md.
        left = {n for n in left if not (name.endswith(".db") and n.startswith(".nncost-"))}
        check(not left, arguments[0], "leaves", left)
        for extra in os.listdir("."):
            if extra.startswith(".nncost-"):
                os.remove(extra)

    def database(self):
        for name in ("killed.db", "killed.db-journal", "killed.csv"):
            if os.path.exists(name):
                os.remove(name)
        for _ in range(4):
            self.kill([*SWEEP, "--db", "killed.db"], self.sweep_s / 2)
        self.whole([*SWEEP, "--db", "killed.db"])
        self.whole(["merge", "killed.csv", "killed.db"])
        check(read("killed.csv") == read("whole.csv"), "a database that was killed has other rows")


def main():
    killer, most = Killer(os.path.abspath(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else 1), int(sys.argv[2])
    os.environ["NNCOST_PATH"] = TOYS
    with tempfile.TemporaryDirectory(prefix="nncost-kills.") as folder:
        os.chdir(folder)
        for name in ("plans.json", "products.csv"):
            shutil.copy(os.path.join(INPUTS, name), name)
        killer.sweep_s = killer.whole([*SWEEP, "--db", "whole.db"])
        killer.whole(["merge", "whole.csv", "whole.db"])
        for n in "12":
            killer.whole([*SWEEP, "--shard", n + "/2", "--db", n + ".db"])

        def remove(name):
            return lambda: os.path.exists(name) and os.remove(name)

        def copy(old, name):
            return lambda: shutil.copy(old, name)
        while killer.killed < most:
            killer.database()
            killer.files("p.json", ["check", "--update", "p.json"], copy("plans.json", "p.json"))
            killer.files("round.json", ["calibrate", "products.csv", "--device", "round", "--output", "round.json"],
                         copy(os.path.join(TOYS, "hw/round.json"), "round.json"))
            killer.files("out.csv", [*SWEEP, "--format", "csv", "--output", "out.csv"], copy("plans.json", "out.csv"))
            killer.files("m.csv", ["merge", "m.csv", "1.db", "2.db"], remove("m.csv"))
            killer.files("m.db", ["merge", "m.db", "1.db", "2.db"], remove("m.db"))
        os.chdir("/")
    print("%d kills, nothing lost" % killer.killed)


if __name__ == "__main__":
    main()
