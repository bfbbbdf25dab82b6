#!/usr/bin/env python3
"""Converts lists of operators, recorded from libraries of models, to captured programs (schema nncost.capture/1).

    usage: reference_captures.py FOLDER OUTPUT [NAME...]

FOLDER has NAME.jsonl.gz files: a header with tables, then one array per operator: phase, op, module, autograd node, inputs,
outputs, bytes read and written, kind (0 = kernel), arguments, storages kept for backward, gradients; for language
models also the function and the number of equal layers. The operators were recorded with a dispatch mode under PyTorch
1.13 from transformers, peft, diffusers and timm; the header has their versions. The operator nncost::sdpa stands for
scaled_dot_product_attention; all other operators are those of PyTorch. Writes OUTPUT/NAME.json for each NAME.
"""
import collections
import gzip
import json
import math
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from nncost import capture  # noqa: E402

DTYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "i64": "int64", "i32": "int32", "bool": "bool", "u8": "uint8", "f64": "float64", "b1": "bool"}
WIDTHS = {"float32": 4, "bfloat16": 2, "float16": 2, "int64": 8, "int32": 4, "bool": 1, "uint8": 1, "float64": 8}
RENAMED = {"nncost::sdpa.default": "aten._scaled_dot_product_flash_attention.default",
           "nncost::sdpa_backward.default": "aten._scaled_dot_product_flash_attention_backward.default"}


class Row:
    """One operator: phase, name, module, inputs and outputs as (dtype, shape, storage), arguments, kept storages,
    repeat."""
    def __init__(self, row, tables, trained):
        self.phase, self.kind, self.kept = row[0], row[8], list(row[10])
        self.name, self.module = tables["op"][row[1]], tables["module"][row[2]]
        self.inputs, self.outputs = (self.tensors(flat, tables) for flat in row[4:6])
        self.args, self.repeat = tables["args"][row[9]], row[13] if len(row) > 13 else 1
        self.args = json.loads(self.args) if isinstance(self.args, str) else self.args
        for at, tensor in enumerate(self.inputs):
            if row[11] >> at & 1:
                trained.add(tensor[2])

    @staticmethod
    def tensors(flat, tables):
        out = []
        for at in range(0, len(flat), 2):
            found = re.fullmatch(r"(\w+)\[([\d,]*)\]", tables["tensor"][flat[at]])
            if found and flat[at + 1] >= 0:
                out.append((DTYPES[found[1]], [int(d) for d in found[2].split(",") if d], flat[at + 1]))
        return out


def read(path):
    """Returns the header, the rows, and the storages that need a gradient"""
    with gzip.open(path, "rt") as file:
        head, trained = json.loads(next(file)), set()
        return head, [Row(json.loads(line), head["tables"], trained) for line in file], trained


def unfold(rows, parameters, trained):
    """Lists the operators of equal layers layer by layer. The input lists a sequence of equal layers only once: in
    forward with the operators of its first layer, in backward with the operators of the layer that is last in forward.
    Between one layer and the next, the numbers of storages and `parameters` grow by a constant."""
    out, known, bases = [], {}, []  # known: storage -> tensor; bases: the runs of forward
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and rows[end].repeat == rows[at].repeat and rows[end].phase == rows[at].phase:
            end += 1
        run, copies = rows[at:end], rows[at].repeat
        made = {t[2]: tuple([t[0], *t[1]]) for row in run for t in row.outputs if t[2] not in parameters and t[2] not in known}
        if copies == 1:
            out += run
            known.update(made)
        else:
            forward = rows[at].phase == "f"
            later = [t for row in rows[end:] for t in row.inputs if t[2] not in made and t[2] not in known and t[2] not in parameters]
            distance = apart(made, later, copies)
            own = {t[2] for row in run for t in row.inputs if t[2] in parameters}
            step = max(own) - min(own) + 1 if forward and own else 0
            ahead = {t[2] - (copies - 1) * distance for row in rows[end:] if row.phase == rows[at].phase for t in row.inputs}
            passed = {made[n]: n for n in sorted(ahead & made.keys())}  # tensors that a layer passes to the next layer
            if forward:
                bases.append((made, copies, distance, own, step))
            for copy in range(copies):
                out += [layer(row, copy, made, known, bases, passed, parameters, trained, forward, distance) for row in run]
            for copy in range(copies):
                known.update({n + copy * distance: like for n, like in made.items()})
        at = end
    return out


def apart(made, later, copies):
    """Returns the constant by which the numbers of storages grow from one layer to the next. The function chooses the
    constant that explains most of the tensors in `later`, which are read after the run. The tensors in `later` belong
    to the last layer of the run of layers. If the last layer differs from the other layers, a run of backward contains
    the last layer but one, and the tensors belong to the last layer but one."""
    of_like = collections.defaultdict(list)
    for number, like in made.items():
        of_like[like].append(number)
    later = [(t[2], of_like[tuple([t[0], *t[1]])]) for t in later]
    votes = collections.Counter((t - n) // m for t, like in later for n in like for m in (copies - 1, copies - 2)
                                if m > 0 and t > n and (t - n) % m == 0)

    def explained(distance):
        return sum(any(t - n in ((copies - 1) * distance, (copies - 2) * distance) for n in like) for t, like in later)
    return max((d for d, _ in votes.most_common(20)), key=explained, default=max(made, default=0) - min(made, default=0) + 1)


def layer(row, copy, made, known, bases, passed, parameters, trained, forward, distance):
    """Returns one operator of a copy of a layer"""
    def moved(tensor):
        dtype, shape, number = tensor
        if number in made:
            return dtype, shape, number + copy * distance
        if number in parameters:
            step = next((step for _, copies, _, own, step in reversed(bases) if any(number - other * step in own for other in range(copies))), 0)
            other = number + (copy if forward else -copy) * step
            if number in trained:
                trained.add(other)
            return dtype, shape, other
        for of, copies, away, _, _ in bases if not forward else []:
            if any(number - other * away in of for other in range(copies)):
                return dtype, shape, number - copy * away  # the storage of the layer whose backward this copy is
        like = tuple([dtype, *shape])
        if copy > 0 and number in known and like in passed and known[number] == like:
            return dtype, shape, passed[like] + (copy - 1) * distance
        return tensor
    new = object.__new__(Row)
    new.__dict__.update(row.__dict__)
    new.repeat, new.inputs, new.outputs = 1, [moved(t) for t in row.inputs], [moved(t) for t in row.outputs]
    new.kept = [moved((known[n][0], list(known[n][1:]), n))[2] if n in known else n + copy * distance for n in row.kept]
    return new


def convert(path):
    head, rows, trained = read(path)
    parameters = set(head["params"])
    rows = unfold([row for row in rows if row.phase in "fb"], parameters, trained)
    size, kept = {}, {number for row in rows for number in row.kept}
    for row in rows:  # the first occurrence decides, because a later view of a storage may be expanded
        for name, shape, number in row.inputs + row.outputs:
            size.setdefault(number, math.prod(shape) * WIDTHS[name])
    optimizer = [row for row in read(path)[1] if row.phase == "o" and row.kind == 0]
    kind, dtype, first, last, made_in, position = {}, {}, {}, {}, {}, 0
    for row in rows:
        for tensor, written in [(t, False) for t in row.inputs] + [(t, True) for t in row.outputs]:
            name, _, number = tensor
            # kind 2 is the allocation of a storage, which comes before the kernel that writes the storage
            if row.kind == 0 or (row.kind == 2 and written):
                first.setdefault(number, position if written else -1)
                made_in.setdefault(number, row.phase)
            if row.kind == 0:
                dtype.setdefault(number, name)
                last[number] = position
        position += row.kind == 0
    rows = [row for row in rows if row.kind == 0]
    shapes = {tuple(t[1]) for row in rows for t in row.inputs if t[2] in parameters}
    read_in_backward = {t[2] for row in rows if row.phase == "b" for t in row.inputs}
    result = {t[2]: tuple(t[1]) for row in rows for t in row.outputs}
    size = {number: size[number] for number in dtype}
    for number in size:
        made_by_backward = made_in[number] == "b" and first[number] >= 0
        kind[number] = ("parameter" if number in trained else "frozen") if number in parameters else \
            "gradient" if made_by_backward and number not in read_in_backward and result.get(number) in shapes else \
            "kept" if number in kept and first[number] >= 0 else "input" if first[number] < 0 else "temporary"
        if kind[number] in ("parameter", "frozen", "gradient"):
            last[number] = len(rows) + len(optimizer)
            first[number] = first[number] if kind[number] == "gradient" else -1
    numbers = {number: at for at, number in enumerate(size)}
    modules = {"": 0}
    ops = [{"name": RENAMED.get(row.name, "aten." + row.name), "phase": {"f": "forward", "b": "backward", "o": "optimizer"}[row.phase],
            "module": modules.setdefault(row.module, len(modules)),
            "inputs": [[t[0], t[1], numbers[t[2]]] for t in row.inputs] if row.phase != "o" else [],
            "outputs": [[t[0], t[1], numbers[t[2]]] for t in row.outputs] if row.phase != "o" else [],
            "args": row.args if isinstance(row.args, list) else [], "repeat": 1} for row in rows + optimizer]
    kinds = [kind[number] for number in size]
    out, blocks = capture.fold(ops, kinds)
    table, renumbered = capture.fold_storages([[size[n], kind[n], dtype[n], first[n], last[n]] for n in size], blocks, ops)
    for op in out:
        op["inputs"], op["outputs"] = capture.fold_tensors(op["inputs"], renumbered), capture.fold_tensors(op["outputs"], renumbered)
    count = head["parameters"]
    batch = head.get("batch") or next(t[1][0] for row in rows for t in row.inputs if t[2] not in parameters and len(t[1]) > 1)
    return {"schema": capture.SCHEMA,
            "source": {"torch": head["torch"], "tensors": "meta" if "mode" in head else "real", "library": " ".join(filter(None, (head["library"], head.get("version")))),
                       "class": head["cls"], "configuration": head["configuration"], "mode": head.get("mode", "fp32"),
                       "recorded": {"forward": sum(row.phase == "f" for row in rows), "backward": sum(row.phase == "b" for row in rows)}},
            "batch": batch, "parameters": {"count": count, "trained": head.get("parameters_trained", count), "tensors": head["parameter_tensors"], "bytes": 0},
            "modules": list(modules), "ops": out, "blocks": blocks, "storages": table}


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    for name in sys.argv[3:]:
        capture.write(Path(sys.argv[2]) / f"{name}.json", convert(Path(sys.argv[1]) / f"{name}.jsonl.gz"))


if __name__ == "__main__":
    main()
