#!/usr/bin/env python3
r"""Runs the cases of a .t file and compares the output of each command with the file.

    usage: run.py PROGRAM FILE.t [TEXT]      runs only cases whose heading contains TEXT, and prints their output

    # The heading: the claim that the case tests.
    $ nncost estimate dense round            run by sh; "> " goes on with the command
    standard output, and after it standard error:
    ! nncost: ...
    [3]                                      the exit code, if it is not 0

A case ends at a blank line before the next heading. The command of a case runs in a new folder with copies of tests/toy
and of tests/text/inputs. nncost finds only the ids in tests/toy, not the ids of the shipped data. If an output line
looks like a mark ("$", ">", "!", "#" or an exit code), the file has "\" in front of this line. A carriage return is
written as "\r", and the version of the program as VERSION, so that cases need no change for a new version. ACCEPT=1
writes the current output into the file.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MARK = re.compile(r"# |\$ |> |! |\[\d+\]$|\\")


def parse(text):
    """Returns [[heading, [[command, output], ...]], ...]; heading, command and output are lists of lines."""
    cases, last = [], None
    for line in text.splitlines():
        if line.startswith("# ") and (not cases or last is not cases[-1][0] or last[-1] == ""):
            cases.append([[], []])
            last = cases[-1][0]
        elif line.startswith("$ "):
            cases[-1][1].append([[], last := []])
            cases[-1][1][-1][0].append(line)
            continue
        elif line.startswith("> ") and not last:
            cases[-1][1][-1][0].append(line)
            continue
        last.append(line)
    for heading, commands in cases[:-1]:
        last = commands[-1][1] if commands else heading
        if last and last[-1] == "":
            last.pop()
    return cases


def lines_of(heading, commands):
    return heading + [line for command, output in commands for line in command + output]


def version_of(program):
    """Returns a pattern that matches the version. If the program prints no version, the pattern matches nothing."""
    told = subprocess.run([Path(program).resolve(), "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"nncost (\d+\.\d+\.\d+)", told)
    return re.compile(rf"(?<![\d.]){re.escape(found.group(1))}(?![\d.]*\d)" if found else r"(?!)")


def shown(printed, version, mark=""):
    text = version.sub("VERSION", printed.decode("utf-8", "replace").replace("\r", "\\r"))
    *lines, rest = text.split("\n")
    lines = [mark + ("\\" if not mark and MARK.match(line) else "") + line for line in lines]
    return lines + ([mark + rest, "\\ no newline at the end"] if rest else [])


def run(commands, environment, folder, version):
    shutil.copytree(HERE.parent / "toy", folder / "toy")
    shutil.copytree(HERE / "inputs", folder / "inputs")
    for command, _ in commands:
        done = subprocess.run(["sh", "-c", "\n".join(line[2:] for line in command)], cwd=folder,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True)
        code = [f"[{done.returncode}]"] if done.returncode else []
        yield [command, shown(done.stdout, version) + shown(done.stderr, version, "! ") + code]


def main(program, file, only=""):
    cases, ran, differ, version = parse(Path(file).read_text()), 0, 0, version_of(program)
    accept = os.environ.get("ACCEPT") == "1"
    with tempfile.TemporaryDirectory() as work:
        # Copies the program out of its build folder, so that it finds data only in the folders of $NNCOST_PATH.
        (Path(work) / "bin").mkdir()
        shutil.copy(program, Path(work) / "bin/nncost")
        # Makes the tables of foreign/ available; they are shipped data.
        (Path(work) / "shipped").mkdir()
        (Path(work) / "shipped/foreign").symlink_to(HERE.parent.parent / "foreign")
        environment = {name: value for name, value in os.environ.items() if "SAN_OPTIONS" in name}
        environment |= {"PATH": f"{work}/bin:{os.environ['PATH']}", "LC_ALL": "C", "COLUMNS": "100",
                        "HOME": work, "NNCOST_PATH": f"toy:{work}/shipped"}
        for number, case in enumerate(cases):
            heading, commands = case
            if not commands or only not in "\n".join(heading):
                continue
            case[1] = list(run(commands, environment, Path(work) / str(number), version))
            now = lines_of(*case)
            diff = list(difflib.unified_diff(lines_of(heading, commands), now, "expected", "now",
                                             lineterm=""))
            if (diff or only) and not accept:
                print(f"{file}: {heading[0]}", *(diff or now), "", sep="\n")
            ran, differ = ran + 1, differ + bool(diff)
    if accept:
        Path(file).write_text("\n\n".join("\n".join(lines_of(*case)) for case in cases) + "\n")
    print(f"{ran} cases, {differ} {'accepted' if accept else 'differ'}")
    return ran == 0 or (differ > 0 and not accept)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
