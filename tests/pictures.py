#!/usr/bin/env python3
"""Reads pictures of 'nncost plot' and compares their marks with the JSON output of the same command line.

    usage: pictures.py PROGRAM ROOT [COUNT]

Every picture must be well-formed SVG with a description, smaller than 200 kB, and all marks must be inside the picture.
No two labels may overlap; the widths of letters are those in src/render/svg.c. The positions of bars, circles and
passes must agree with the numbers of the JSON output. Tests COUNT random combinations of model, device, plan and picture
width, with a fixed seed; COUNT is 200 if it is not given.
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 200
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent", "NNCOST_PATH": str(ROOT)}
SVG = "{http://www.w3.org/2000/svg}"
PREFIX = {"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
PLANS = ["", "--micro-batch 4 --recompute full", "--devices 8 --pipeline 4 --micro-batches 6 --zero 1",
         "--devices 16 --tensor 4 --pipeline 2 --micro-batches 4 --set vocab_multiple=512"]
PARTS = {"step": ("step", "step_s"), "memory": ("memory", "total_bytes")}


def nncost(*words):
    done = subprocess.run([PROGRAM, *words], env=ENVIRONMENT, capture_output=True, cwd=ROOT, check=False)
    return (done.returncode, done.stdout.decode()) if done.returncode < 2 else (done.returncode, "")


def document(*words):
    return json.loads(nncost(*words, "--format", "json")[1])


def widths():
    text = (ROOT / "src/render/svg.c").read_text()
    tables = re.findall(r"(regular|bold)\[.*?\] = \{(.*?)\}", text, re.S)
    return {name: [int(number) for number in re.findall(r"\d+", body)] for name, body in tables}


WIDTHS = widths()


def box_of(text):
    """Returns left, top, right and bottom of a label; None if the label is rotated."""
    if text.get("transform"):
        return None
    classes = text.get("class", "").split()
    table = WIDTHS["bold" if "b" in classes else "regular"]
    size = 10 if "s" in classes else 12
    wide = sum(table[ord(c) - 32] if 32 <= ord(c) < 127 else 1000 for c in text.text or "") * size * 1.05 / 1000
    x, y = float(text.get("x")), float(text.get("y"))
    x -= wide * {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor"), 0.0)
    return x, y - 0.75 * size, x + wide, y + 0.22 * size


def check_form(svg, text):
    root = ElementTree.fromstring(text)
    wide, high = (float(number) for number in root.get("viewBox").split()[2:])
    title, desc = root.find(SVG + "title"), root.find(SVG + "desc")
    assert len(text) <= 200_000, f"{svg}: {len(text)} bytes"
    assert title.text and len(desc.text) > len(title.text), f"{svg}: no description"
    assert " style=" not in text and "<script" not in text and text.count("http") == 1, svg
    assert all(one.get("id", "nnc-").startswith("nnc-") for one in root.iter()), svg
    boxes = [(box_of(label), label.text) for label in root.iter(SVG + "text")]
    boxes = [(box, label) for box, label in boxes if box]
    for i, (a, name) in enumerate(boxes):
        assert a[0] > -0.5 and a[1] > -0.5 and a[2] < wide + 0.5 and a[3] < high + 0.5, f"{svg}: outside: {name}"
        for b, other in boxes[:i]:
            apart = a[2] <= b[0] + 0.1 or b[2] <= a[0] + 0.1 or a[3] <= b[1] + 0.1 or b[3] <= a[1] + 0.1
            assert apart, f"{svg}: '{name}' over '{other}'"
    return root


def marks(root):
    return [(group, group.find(SVG + "title").text, list(group)[1:]) for group in root.iter(SVG + "g")]


def number(one, name):
    return float(one.get(name))


def check_bar(svg, root, part, whole):
    """Compares the widths of bars with the parts of a step or of the memory; whole: the value that corresponds to the
    full width."""
    drawn = {group.get("data-explain"): shapes[0] for group, _, shapes in marks(root)
             if shapes and shapes[0].tag == SVG + "rect" and group.get("data-explain") in part}
    wide = number(root, "width") - 16
    assert drawn, svg
    for name, value in part.items():
        if value > 0 or name in drawn:
            assert abs(number(drawn[name], "width") - value / whole * wide) < 0.25, f"{svg}: {name}"


def scale(root, along):
    """Returns a function that converts a value to its position, computed from the labels of the grid; None if there are
    fewer than three labels."""
    points = []
    for label in root.iter(SVG + "text"):
        found = re.fullmatch(r"([\d.]+) ?([numkMGTPE]?)(B|s|)", label.text or "")
        anchor = label.get("text-anchor")
        if found and label.get("class") == "dim" and anchor == ("middle" if along == "x" else "end"):
            place = number(label, "x") if along == "x" else number(label, "y")
            points.append((float(found[1]) * PREFIX[found[2]], place))
    for change in (math.log, float):
        if len(points) > 2 and min(points)[0] > 0:
            (v0, p0), (v1, p1) = [(change(points[i][0]), points[i][1]) for i in (0, -1)]
            slope = (p1 - p0) / (v1 - v0)
            if all(abs(p0 + (change(v) - v0) * slope - p) < 0.3 for v, p in points):
                return lambda value: p0 + (change(value) - v0) * slope
    return None


def check_points(svg, root, classes, points, least=(0, 0)):
    """Checks that circles and squares lie at their values on the scales of the grid. Returns True if the grid has
    enough labels to check the positions. Points below the smallest value of a scale may be missing."""
    x, y = scale(root, "x"), scale(root, "y")
    if x is None or y is None:
        return False
    shift = -4  # distance of a label's baseline from its line
    drawn = []
    for _, _, shapes in marks(root):
        for one in shapes:
            if classes not in one.get("class", "").split():
                continue
            if one.tag == SVG + "circle":
                drawn.append((number(one, "cx"), number(one, "cy")))
            elif one.tag == SVG + "rect":
                drawn.append((number(one, "x") + number(one, "width") / 2, number(one, "y") + number(one, "width") / 2))
            else:
                corner = [float(value) for value in re.findall(r"[\d.]+", one.get("d"))]
                drawn.append((corner[0], corner[3]))
    for value, name in points:
        if value[0] < least[0] or value[1] < least[1]:
            continue
        at = x(value[0]), y(value[1]) + shift
        assert any(abs(at[0] - p[0]) < 3.5 and abs(at[1] - p[1]) < 3.5 for p in drawn), f"{svg}: no mark for {name} at {at}"
    for p in drawn:
        assert any(abs(x(v[0]) - p[0]) < 3.5 and abs(y(v[1]) + shift - p[1]) < 3.5 for v, _ in points), f"{svg}: {p}"
    return True


def drawn_ops(ops):
    return [(op["intensity_flops_per_byte"], (op["flops"] + op["vector_flops"]) / op["time_s"], op) for op in ops
            if op["time_s"] and op["intensity_flops_per_byte"] and op["repeat"] and op["flops"] + op["vector_flops"] > 0]


def check_timeline(svg, root, result):
    """A picture with few passes has a mark for each pass. A picture with many passes has one mark for each stage."""
    rows = [one for one in result["timeline"] if one["activity"] != "idle"]
    end = max(one["end_s"] for one in result["timeline"])
    left = 64 if number(root, "width") >= 500 else 34
    wide = number(root, "width") - 8 - left
    places = [(number(shapes[0], "x"), number(shapes[0], "width")) for _, title, shapes in marks(root)
              if " to " in title and shapes]
    for x, w in places:
        assert any(abs(left + one["start_s"] / end * wide - x) < 0.25 and
                   abs((one["end_s"] - one["start_s"]) / end * wide - w) < 0.25 for one in rows), f"{svg}: {x}"
    assert len({title.split(":")[0] for _, title, _ in marks(root) if ": idle" in title}) == result["plan"]["pipeline"]
    check_memory_line(svg, root, result)


def check_memory_line(svg, root, result):
    """The highest point of a stage's line must be the peak memory of the stage."""
    capacity = result["memory"]["capacity_bytes"]
    for group in root.iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        if title is None or ": memory from" not in title.text:
            continue
        stage = int(re.match(r"stage (\d+)", title.text).group(1))
        total = result["stages"][stage]["total_bytes"]
        box, line = group.find(f"{SVG}rect"), group.find(f"{SVG}path").get("d")
        y, height = number(box, "y"), number(box, "height")
        top = min(float(point.split()[1]) for point in re.findall(r"[ML]([\d. -]+)", line.replace(",", " ")))
        wanted = y + height * (1 - total / max(total, capacity))
        assert abs(top - wanted) < 0.25, f"{svg}: {title.text}: {top} for {wanted}"


def check_estimate(model, device, plan, width):
    words = [model, device, *plan.split()]
    result = document("estimate", *words, "--timeline", "--stages")
    seen = 0
    for picture in ("step", "memory", "roofline", "timeline"):
        svg = f"{picture} {' '.join(words)} --width {width}"
        text = nncost("plot", picture, *words, "--width", str(width))[1]
        root = check_form(svg, text)
        if picture == "step":
            names = ("forward_s", "backward_s", "recompute_s", "update_s", "exposed_comm_s", "bubble_s", "host_s")
            check_bar(svg, root, {name: result["step"][name] for name in names}, result["step"]["step_s"])
        elif picture == "memory":
            memory = result["memory"]
            names = [f"{name}_bytes" for name in ("weight", "gradient", "optimizer", "activation", "transient", "reserve")]
            check_bar(svg, root, {name: memory[name] for name in names},
                      max(memory["total_bytes"], memory["capacity_bytes"]))
        elif picture == "timeline":
            check_timeline(svg, root, result)
        else:
            peak = result["device"]["peak_flops_per_s"]
            least = peak / result["device"]["mem_bytes_per_s"] * 1e-4, peak / 1e7
            points = [((x, y), op["name"]) for x, y, op in drawn_ops(result["ops"])]
            seen += check_points(svg, root, "mark", points, least)
    return seen


def check_against(words, others, width):
    """In a picture with the outline of a second estimate, the two estimates must have the same scale, and the labels
    must have the right positions."""
    steps = [document("estimate", *one)["step"] for one in (words, others)]
    for picture in ("step", "memory", "roofline", "timeline"):
        svg = f"{picture} {' '.join(words)} --against '{' '.join(others)}' --width {width}"
        root = check_form(svg, nncost("plot", picture, *words, "--against", " ".join(others), "--width", str(width))[1])
        assert any(one.get("class") == "other" for one in root.iter()), svg
        if picture == "step":
            check_bar(svg, root, {"backward_s": steps[0]["backward_s"]}, max(one["step_s"] for one in steps))


def check_search(words, width):
    words = words.split()
    front, scaling = [*words, "--devices", "8"], [*words, "--devices", "1..16"]
    svg = f"front {' '.join(front)} --width {width}"
    result = document("search", *front)
    root = check_form(svg, nncost("plot", "front", *front, "--width", str(width))[1])
    seen = check_points(svg, root, "dot", [((one["memory_bytes"], one["step_s"]), "plan") for one in result["pareto"]])
    svg = f"scaling {' '.join(scaling)} --width {width}"
    result = document("search", *scaling)
    root = check_form(svg, nncost("plot", "scaling", *scaling, "--width", str(width))[1])
    found = [size for size in result["sizes"] if size["best"]]
    rates = [1 / size["best"]["step_s"] / size["devices"] for size in found]
    bars = [shapes[-1] for _, title, shapes in marks(root) if "MFU" in title]
    assert len(bars) == len(found), svg
    for rate, bar in zip(rates, bars):
        full = number(bars[0], "height")
        assert abs(number(bar, "height") - rate / rates[0] * full) < 0.25, svg
    for size, (_, title, _) in zip(found, [one for one in marks(root) if "MFU" in one[1]]):
        # the two devices of this test are in servers of 8 devices each
        assert ("stragglers" in title) == (size["devices"] > 8), f"{svg}: {title}"
    return seen


def main():
    models = sorted(path.stem for path in (ROOT / "models").glob("*.json"))
    devices = sorted(path.stem for path in (ROOT / "hw").glob("*.json"))
    chance, drawn, placed = random.Random(1), 0, 0
    while drawn < COUNT:
        words = chance.choice(models), chance.choice(devices), chance.choice(PLANS)
        if nncost("estimate", *words[:2], *words[2].split())[0] < 2:
            placed += check_estimate(*words, chance.choice((300, 360, 720, 1200)))
            drawn += 1
            if drawn % 4 == 0:
                check_against([words[0], words[1], *words[2].split()], ["gpt2-xl", "a100", "--micro-batch", "2"], 720)
    searches = [f"{model} {device} --global-batch 64 --threads 1"
                for model, device in (("gpt2", "a100"), ("llama3-8b", "h100"), ("sd1-unet", "a100"))]
    fronts = sum(check_search(words, width) for words in searches for width in (360, 720))
    assert placed > COUNT * 0.9 and fronts > 3, f"scales cannot be read: {placed} of {COUNT}, {fronts}"
    print(f"{4 * drawn + 12} pictures, {placed + fronts} with scales")


try:
    main()
except AssertionError as fault:
    sys.exit(f"pictures: {fault}")
