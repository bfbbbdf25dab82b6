#!/usr/bin/env python3
"""Tests that time and memory grow in proportion to the input, and that inputs beyond the limits of docs/limits.md are
refused with a message that names the limit.
    usage: limits.py NNCOST ROOT"""
import json
import os
import resource
import subprocess
import sys
import tempfile

nncost, root = (os.path.abspath(path) for path in sys.argv[1:3])
# XDG_CONFIG_HOME is an empty folder, so that the user's defaults file has no effect.
environment = dict(os.environ, NNCOST_PATH=os.path.join(root, "tests/toy"), XDG_CONFIG_HOME="/nonexistent", LC_ALL="C")
failures = []
with open(nncost, "rb") as program:
    code = program.read()
sanitized = b"__asan_init" in code or b"__tsan_init" in code  # sanitizers keep freed memory


def run(arguments, data=resource.RLIM_INFINITY):
    """Returns exit status, message and CPU seconds of a command. data: largest number of bytes that the command may
    allocate."""
    if arguments[0] == "merge" and os.path.exists(arguments[1]):
        os.remove(arguments[1])  # the output of 'nncost merge' must not exist yet
    process = subprocess.Popen([nncost, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (data, data)))
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.stderr.close()
    return os.waitstatus_to_exitcode(status), message, usage.ru_utime + usage.ru_stime


def enough(arguments, data):
    return run(arguments, int(data))[0] in (0, 1)


def least(arguments):
    """Returns the bytes of memory that a command needs, with an error of 5 %. Runs the command several times, with
    different limits of memory. The system reports a peak of memory that includes the memory of the parent process, so
    the function does not use this peak."""
    low, high = 2e6, 2e9
    while high > 1.05 * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if enough(arguments, middle) else (middle, high)
    return high


def grows(what, times, small, large, plain=False, more=0, each=0):
    """Tests a command whose input `large` is `times` times as long as `small`. plain: the time of `large` must not be
    longer than that of `small`. Memory may grow by `each` bytes for each further item."""
    for arguments in (small, large):
        found = run(arguments)
        if found[0] not in (0, 1):
            failures.append(f"{what}: exit {found[0]}: {found[1]}")
            return
        if arguments is small:
            seconds = found[2]
    factor = 1 if plain else times
    # A command may take twice the expected time, because the machine may be busy, plus the 0.05 s that any command may
    # take.
    if found[2] > 2 * factor * max(seconds, 0.01) + 0.05:
        failures.append(f"{what}: {seconds:.3f} s became {found[2]:.3f} s")
    size = 0.0 if sanitized else least(small)
    most = (size if more else 1.5 * size) + more * each
    if not sanitized and not enough(large, most):
        failures.append(f"{what}: {size / 1e6:.1f} MB, then more than {most / 1e6:.1f} MB")
    print(f"{what:12} x {times:<6} {seconds:6.3f} s -> {found[2]:6.3f} s, {size / 1e6:6.1f} MB -> {most / 1e6:6.1f} MB at most")


def refused(what, arguments):
    status, message, seconds = run(arguments)
    if status not in (2, 3) or what not in message or message.count("\n") != 1 or seconds > 1.0:
        failures.append(f"{what}: exit {status}, {message}")


def plans(path, count):
    scenarios = [{"id": f"s{i}", "model": "dense", "device": "round", "micro_batch": 1 + i % 64, "seq_len": 64 + i // 64}
                 for i in range(count)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "nncost.plans/1", "scenarios": scenarios}, file)
    return path


def graph(path, turns, apart=1):
    """Writes a graph file with four ops that repeat, or with all ops listed one by one."""
    block = [{"as": "x"}, {"op": "conv", "out": 16, "kernel": 3, "pad": 1}, {"op": "act", "kind": "relu"},
             {"op": "add", "with": "x"}]
    body = [{"repeat": turns, "ops": block}] if apart == 1 else block * apart
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "nncost.model/1", "id": os.path.basename(path)[:-5], "name": "n", "family": "graph",
                   "input": {"shape": [3, 32, 32]}, "sources": {"": "made up"},
                   "ops": [{"op": "conv", "out": 16, "kernel": 3, "pad": 1}, *body, {"op": "global_pool"},
                           {"op": "linear", "out": 10}, {"op": "loss", "kind": "cross_entropy"}]}, file)
    return path


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    grows("check", 8, ["check", plans("few.json", 250)], ["check", plans("many.json", 2000)], more=1750, each=3000)
    for name in ("few.json", "many.json"):
        run(["check", name, "--update"])
    grows("recorded", 8, ["check", "few.json"], ["check", "many.json"], more=1750,
          each=4500 + os.path.getsize("many.json") / 2000)
    sweep = ["sweep", "dense", "round", "--all", "--seq-len", "1..100"]
    grows("sweep", 8, [*sweep, "--format", "csv", "--micro-batch", "1..20"],
          [*sweep, "--format", "csv", "--micro-batch", "1..160"])
    for name, most in (("few.db", 20), ("many.db", 160)):
        run([*sweep, "--micro-batch", f"1..{most}", "--db", name])
    grows("merge", 8, ["merge", "few.csv", "few.db"], ["merge", "many.csv", "many.db"])
    step = ["estimate", "dense", "round", "--pipeline", "2", "--devices", "2"]
    grows("trace", 8, [*step, "--micro-batches", "500", "--trace", "few"],
          [*step, "--micro-batches", "4000", "--trace", "many"], more=14000, each=800)
    grows("micro-batches", 1000, [*step, "--micro-batches", "1000"], [*step, "--micro-batches", "1000000"], plain=True)
    grows("devices", 1000, ["estimate", "dense", "round", "--devices", "1000"],
          ["estimate", "dense", "round", "--devices", "1000000"], plain=True)
    grows("graph", 1000, ["estimate", "./" + graph("g100.json", 100), "round"],
          ["estimate", "./" + graph("g100000.json", 100000), "round"], plain=True)
    refused("expected 0 to 100000", ["estimate", "./" + graph("g.json", 100001), "round"])
    refused("too many values, expected at most 100000", ["estimate", "./" + graph("apart.json", 0, 20000), "round"])
    refused("at most 1000000 passes", [*step, "--micro-batches", "300000", "--trace", "none"])
    refused("a list of 1 to 100000 scenarios", ["check", plans("p.json", 100001)])
    refused("--threads: out of range", [*sweep, "--threads", "257"])
    refused("--seq-len: too many values, expected at most 1000000", ["sweep", "dense", "round", "--seq-len", "1..1000001"])
    wide = [f"1..{10**5 + last}" for last in (0, 0, 1)]
    refused("too many combinations, expected at most 1e+15", ["sweep", "dense", "round", "--seq-len", wide[0],
                                                              "--micro-batch", wide[1], "--micro-batches", wide[2]])
    refused("--where: given more than 8 times", [*sweep, *["--where", "mfu > 0"] * 9])
    refused("--where: too long, expected at most 128", [*sweep, "--where", "+".join("1" * 70) + " > 0"])
    refused("--shard: expected at most 1000000 parts", [*sweep, "--shard", "1/1000001"])
    refused("--micro-batch: too many values, expected at most 256",
            ["compare", "dense", "round", "--micro-batch", ",".join(str(i) for i in range(1, 258))])
    refused("--micro-batch: expected at most 64 values",
            ["search", "dense", "round", "--devices", "2", "--micro-batch", ",".join(str(i) for i in range(1, 66))])
    refused("--best: out of range, expected a whole number from 1 to 100", ["search", "dense", "round", "--best", "101"])
    refused("at most 100000, found 100001", ["estimate", "dense", "round", "--set", "layers=100001"])
    refused("at most 1024 stages", ["estimate", "dense", "round", "--set", "layers=2048", "--pipeline", "1025"])
    refused("--devices: out of range, expected at most 16777216", ["estimate", "dense", "round", "--devices", "16777217"])
    with open("deep.json", "w", encoding="utf-8") as file:
        file.write('{"x":' + "[" * 64 + "]" * 64 + "}")
    refused("nested too deeply, expected at most 64 levels", ["estimate", "./deep.json", "round"])
    with open("many.onnx", "wb") as file:  # a graph of empty tensors, two bytes each
        size, length = 2 * 40_000_000, b""
        while size > 0:
            length += bytes([size % 128 + (128 if size > 127 else 0)])
            size //= 128
        file.write(b"\x3a" + length)
        for _ in range(40):
            file.write(b"\x2a\x00" * 1_000_000)
    status, message, seconds = run(["import", "many.onnx"], data=3_000_000_000)
    if "without" not in message and (status != 3 or "has more than a million values" not in message):
        failures.append(f"many.onnx: exit {status}, {message}")
    os.remove("many.onnx")
    for name in ("large.json", "large.csv"):
        with open(name, "w", encoding="utf-8") as file:
            file.write('{"schema": "nncost.search/1"')
            file.truncate((16 << 20) + 1)
        refused("too large, expected at most 16 MB", ["merge", "new.json", "./large.json"] if name == "large.json"
                else ["accuracy", name])

for failure in failures:
    print(f"limits.py: {failure}")
sys.exit(len(failures) > 0)
