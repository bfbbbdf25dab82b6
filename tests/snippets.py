#!/usr/bin/env python3
"""Tests that every command and every example of a file in README.md and docs/ works: in fenced blocks, in indented
blocks and inside sentences.

    usage: snippets.py PROGRAM SHARED_LIBRARY ROOT          (CC: the compiler)

tests/pages.sh runs the commands after "$ " and compares their output; snippets.py checks everything else. snippets.py
runs commands of nncost in a temporary folder that has the files they name, validates parts of JSON files, and compiles
and runs C code. For every command that snippets.py does not run, SHOWN must name a test that runs the command, and a
text that the test contains. Indented lines that are no command, JSON or C must be formulas."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, LIBRARY, ROOT = (Path(argument).resolve() for argument in sys.argv[1:4])
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "llms.txt", *ROOT.glob("docs/**/*.md")])

# Each row has the first words of a command, the test that runs it, and a text in this test. None means that no test can
# run the command; the reason follows.
SHOWN = {
    "python3 -m nncost.capture": ("tests/capture.py", "from nncost import capture"),
    "git clone <this repository>": (None, "a reader's own address"),
    "tools/build": (".ci/run", "tools/build"),
    "tools/test": (".ci/run", "tools/test"),
    "tools/setup web": (".ci/run", "tools/setup web"),
    "python3 -c 'import nncost": ("tests/install/run.sh", "import nncost; print"),
    "tools/web": (".ci/run", "tools/web"),
    ".ci/run": (None, "runs this test"),
    "cmake --install": ("tests/install/run.sh", "cmake --install"),
    "cmake -B build/shared": ("tests/install/shared.sh", "-DBUILD_SHARED_LIBS=ON"),
    "cmake --build build/shared": ("tests/install/shared.sh", "cmake --build"),
    "cc program.c": ("examples/Makefile", "pkg-config --cflags nncost"),
    "find_package(nncost": ("examples/CMakeLists.txt", "find_package(nncost 1.0 REQUIRED)"),
    "tests/text/run.py": ("tests/text_selftest.sh", "run.py"),
    "ACCEPT=1 ctest": ("tests/text_selftest.sh", "ACCEPT=1"),
    "mpirun": ("tests/sweep/mpi.sh", "mpirun"),
    "git add": ("tests/ci_examples.sh", "readme_command 'git add'"),
    "git commit": ("tests/ci_examples.sh", "readme_command 'git add'"),
    "git show": ("tests/ci_examples.sh", "readme_command 'git show'"),
    "git config": ("tests/ci_examples.sh", "git config"),
    "echo 'plans.json": ("tests/ci_examples.sh", "echo 'plans.json"),
    "tools/release": ("tests/install/archive.sh", "tools/release"),
    "hf download": (None, "needs a network"),
}
# Commands on the pages that cannot run without changes. NOT_RUN matches commands in which words in capitals stand for
# names. ALONE matches names of commands without operands.
NOT_RUN = re.compile(r"\bMODEL\b|\bFILES?\b|\bDEVICE\b|\bNAMES?\b|\bLIST\b|\bOUT\b|\bID\b|\bKIND\b|\bCOMMAND\b|\bA B$|\.\.\.|<id>")
ALONE = re.compile(r"nncost( [a-z]+){1,2}( --[a-z]+)?( json)?$")
# Commands that take long, and shorter commands that run instead. The network that the test uses as net.onnx has no axes
# of unknown length.
SMALLER = (("net.onnx sequence=128,x.2=48", "net.onnx"), ("--devices 8..256 --tokens", "--devices 8..16 --tokens"), ("--micro-batches 1..512", "--micro-batches 1..4"),
           ("--devices 1024 --global-batch 1536 --shard 2/16", "--devices 64 --global-batch 96 --shard 1/1"))
RUN = ("nncost ", "sqlite3 ", "cat ", "awk ", "mkdir ")
SHOWN |= { # commands that need something that the test does not have: a page, a measured machine, or a job
    "nncost explore": ("tests/text/explore.t", "nncost explore"),
    "python3 -m nncost.measure": ("tests/measured_here.py", "nncost.measure"),
    "torchrun --nproc_per_node 8 -m nncost.measure": ("tests/measured_here.py", "Runs two processes, as torchrun does"),
    "nncost estimate gpt2 .": ("tests/measured_here.py", "measured"),
    "nncost calibrate measure.json": ("tests/measured_here.py", "calibrate"),
    "nncost calibrate tests/published/serving.csv --serve": (None, "fits for a quarter of a minute"),
    "python3 train.py": (None, "a reader's own job"),
}

faults = []
counts = {"commands": 0, "shown": 0, "json": 0, "programs": 0}


def fault(where, text):
    faults.append(f"{where}: {text}")


def blocks(path):
    """Yields (line number, kind, lines) of each fenced or indented block."""
    lines = path.read_text().splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("```"):
            end = next(i for i in range(number + 1, len(lines)) if lines[i].startswith("```"))
            yield number + 1, line[3:].strip() or "console", lines[number + 1:end]
            number = end + 1
        elif line.startswith("    ") and (number == 0 or not lines[number - 1].strip()):
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield number + 1, "indented", [text[4:] for text in lines[number:end] if text.strip()]
            number = end
        else:
            number += 1


def inline(path):
    """Yields (line number, command) of each `nncost ...` in a line of text."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced:
            for command in re.findall(r"`((?:\.\.\. \| )?nncost [^`]*)`", line):
                yield number, command.replace("... | ", "cat config.json | ").replace("\\|", "|")


class Scratch:
    """A temporary folder with the files that the commands on the pages name."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp())
        (self.path / "bin").mkdir()
        (self.path / "bin/nncost").symlink_to(PROGRAM)
        config = ROOT / "tests/data/foreign/llama2-7b.json"
        for name in ("config.json", "path/to/config.json", "Llama-3.1-8B/config.json"):
            self.put(name, config.read_text())
        self.put("stable-diffusion/unet/config.json", (ROOT / "tests/data/foreign/sd1-unet.json").read_text())
        shutil.copy(ROOT / "tests/text/inputs/conv.onnx", self.path / "net.onnx")
        rows = (ROOT / "tests/published/training_llmfoundry.csv").read_text().splitlines()
        for name in ("steps.csv", "more.csv"):
            self.put(name, "\n".join([rows[0], *[row for row in rows if "h100" in row][:6]]) + "\n")
        (self.path / "tests").symlink_to(ROOT / "tests")
        (self.path / "train.log").symlink_to(ROOT / "tests/data/watch/megatron.log")
        (self.path / "step.json").symlink_to(ROOT / "tests/data/capture/decoder.json")
        self.put("smi.xml", '<?xml version="1.0" ?>\n<nvidia_smi_log><gpu id="0"><product_name>NVIDIA H100 80GB HBM3</product_name>'
                 "<fb_memory_usage><total>81559 MiB</total></fb_memory_usage></gpu></nvidia_smi_log>\n")
        for name in ("step", "before", "after", "rank0", "rank1"):
            (self.path / f"{name}.json.gz").symlink_to(ROOT / "tests/data/trace/sampled_rank-0.json.gz")
        self.environment = {"PATH": f"{self.path}/bin:{os.environ['PATH']}", "LC_ALL": "C", "HOME": str(self.path),
                            "XDG_CONFIG_HOME": str(self.path / ".config"), "COLUMNS": "100"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def put(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, where, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode > 1 and "built without" not in done.stderr:
            fault(where, f"{command}: ends with {done.returncode}, {done.stderr.strip()[:300]}")
        return done


def shown(where, command):
    counts["shown"] += 1
    for begin, (test, text) in SHOWN.items():
        if command.startswith(begin):
            if test is not None and text not in (ROOT / test).read_text():
                fault(where, f"{command}: {test} has no '{text}'")
            return
    fault(where, f"{command}: no test is named for it, in SHOWN of tests/snippets.py")


def is_command(line):
    """Returns true if a line of an indented block is a command. Lines of an indented block that are not commands are
    formulas ("time of an op = ...") or outputs."""
    words = line.split()
    if line.startswith((*SHOWN, *RUN)):
        return True
    return len(words) > 1 and words[0] != "time" and words[1] not in "=·+-" and shutil.which(words[0], path="/usr/bin:/usr/sbin") is not None


def command_of(scratch, where, command):
    command = re.sub(r"\s+#\s.*", "", command).strip()
    if command.startswith(tuple(begin for begin in SHOWN if begin.startswith("nncost "))):
        return shown(where, command)
    for full, part in SMALLER:
        command = command.replace(full, part)
    if command.startswith(RUN):
        counts["commands"] += 1
        return scratch.run(where, command)
    for one in command.split(" && "):
        if not one.startswith("cd "):
            shown(where, one)
    return None


def commands_of(scratch, where, lines):
    text = re.sub(r"\\\n\s*", "", "\n".join(lines))
    for line in text.splitlines():
        if is_command(line):
            command_of(scratch, where, line)


def model_of(scratch, where, members):
    """Validates members of a model file. The test completes the members to a whole model file."""
    text = '{"schema": "nncost.model/1", "id": "piece", "name": "A piece", "family": "decoder",' + \
        members + ', "sources": {"": "a page"}}'
    scratch.put("piece.json", text)
    scratch.run(where, "nncost validate piece.json")


def json_of(scratch, where, lines, open_file):
    """Validates the JSON on a page. A whole file is stored under its name. Successive parts are joined to one file.
    Members without braces are read as members of a model file."""
    counts["json"] += 1
    text = "\n".join(lines)
    if open_file or (text.startswith("{") and not text.endswith("}")):
        whole = "\n".join([*open_file, text])
        if not text.endswith("\n}"):
            return [*open_file, text]
        text, open_file = whole, []
    if not text.startswith("{"):
        model_of(scratch, where, text)
        return []
    try:
        file = json.loads(text)
    except ValueError as error:
        fault(where, f"is no JSON: {error}")
        return []
    if "schema" not in file:
        fault(where, "is a whole object without a schema")
    name = {"nncost.plans/1": "plans.json"}.get(file.get("schema"), f"{file.get('id')}.json")
    if file.get("schema") == "nncost.device/1":
        name = f".config/nncost/hw/{name}"
    scratch.put(name, text)
    if name == "small.json":
        scratch.put("mine.json", text.replace('"small"', '"mine"'))
    scratch.run(where, f"nncost validate {name}")
    return []


def program_of(scratch, where, lines):
    """Compiles and runs C statements of a page. The main function also prints the results."""
    counts["programs"] += 1
    includes = [line for line in lines if line.startswith("#")]
    body = "\n".join(line for line in lines if not line.startswith("#"))
    body = body.replace("/usr/local/share/nncost", str(ROOT))
    ends = "\n".join(sorted(set(re.findall(r"(?<=    )printf\(.*", body))))
    scratch.put("program.c", "\n".join(includes) + "\n#include <stdio.h>\nint main(void)\n{\n" + body +
                "\nnnc_scratch_destroy(scratch);\nnnc_specs_close(specs);\nreturn 0;\n}\n")
    flags = os.environ.get("CFLAGS", "").split()
    done = subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Werror", *flags, "-I", str(ROOT / "include"),
                           "program.c", "-o", "program", str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"],
                          cwd=scratch.path, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return fault(where, f"does not compile: {done.stderr[:600]}")
    done = scratch.run(where, "./program")
    if "step" not in done.stdout or not ends:
        fault(where, f"the program prints no step: {done.stdout}{done.stderr}")
    return None


def python_of(scratch, where, lines):
    """Runs Python code if it imports only nncost. Python code that imports modules besides nncost is only compiled."""
    counts["programs"] += 1
    text = "\n".join(lines) + "\n"
    try:
        compile(text, where, "exec")
    except SyntaxError as error:
        return fault(where, str(error))
    if not text.startswith("import nncost\n") or text.count("import ") > 1:
        return None
    scratch.put("piece.py", text)
    scratch.environment |= {"NNCOST_PATH": str(ROOT), "NNCOST_DATA": str(ROOT), "NNCOST_LIBRARY": str(LIBRARY),
                            "NNCOST_PROGRAM": str(PROGRAM), "PYTHONPATH": str(ROOT / "python")}
    done = scratch.run(where, f"'{sys.executable}' piece.py")
    if done.returncode != 0:
        fault(where, done.stderr[-300:])
    return None


def page(scratch, path):
    name = path.relative_to(ROOT)
    compared = path.parent == ROOT / "docs" or name == Path("README.md")
    pieces = []
    # commands may use a file that the page shows below them, so the first complete file of the page is written first
    for number, kind, lines in blocks(path):
        if kind == "json" and lines[0].startswith("{") and lines[-1] == "}":
            json_of(scratch, f"{name}:{number}", lines, [])
            break
    for number, kind, lines in blocks(path):
        where = f"{name}:{number}"
        if kind == "console" and lines and lines[0].startswith("$ ") and compared:
            continue # tests/pages.sh runs these commands
        if kind in ("sh", "indented"):
            commands_of(scratch, where, lines)
        elif kind == "json":
            pieces = json_of(scratch, where, lines, pieces)
        elif kind == "c":
            program_of(scratch, where, lines)
        elif kind == "python":
            python_of(scratch, where, lines)
        elif not (kind == "console" and name == Path("docs/architecture.md")) and kind != "text":
            fault(where, f"a block of kind {kind}: not run here, its first line '{lines[0] if lines else ''}'")
    for number, command in inline(path):
        if not NOT_RUN.search(command) and not ALONE.match(command):
            command_of(scratch, f"{name}:{number}", command)


def main():
    with Scratch() as scratch:
        # checking.md comes first, because other pages use its plan file.
        for path in sorted(PAGES, key=lambda path: path.name != "checking.md"):
            page(scratch, path)
    print(*faults, sep="\n")
    print(", ".join(f"{count} {what}" for what, count in counts.items()), f"{len(faults)} faults", sep="; ")
    sys.exit(1 if faults or counts["commands"] < 80 or counts["json"] < 5 else 0)


main()
