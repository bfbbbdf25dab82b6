"""The results of the functions of nncost: dicts with attributes, and tables with columns. Needs no other package."""
from __future__ import annotations

import difflib
import html
import json
import os
from typing import Any, Iterable, Iterator, Union

# For each schema of an answer: the values that a printed answer shows first. Each row has label, record, key and unit.
_FIRST = {
    "nncost.estimate": (
        ("step", "step", "step_s", "s"), ("90 % range", "step", "interval_s", "s"),
        ("lower bound", "step", "lower_bound_s", "s"), ("upper bound", "step", "upper_bound_s", "s"),
        ("bound by", "step", "bound", ""), ("memory", "memory", "total_bytes", "B"),
        ("capacity", "memory", "capacity_bytes", "B"), ("verdict", "memory", "fit", ""),
        ("tokens per s", "throughput", "tokens_per_s", ""), ("samples per s", "throughput", "samples_per_s", ""),
        ("MFU", "throughput", "mfu", "%"), ("cost of the step", "cost", "step", "currency")),
    "nncost.serve": (
        ("model", "model", "name", ""), ("device", "device", "name", ""), ("devices", "plan", "devices", ""),
        ("time to first token", "latency", "ttft_s", "s"), ("90 % range", "latency", "ttft_interval_s", "s"),
        ("time per token", "latency", "tpot_s", "s"), ("90 % range", "latency", "tpot_interval_s", "s"),
        ("a request", "latency", "request_s", "s"), ("output tokens per s", "throughput", "output_tokens_per_s", ""),
        ("requests per s", "throughput", "requests_per_s", ""), ("decode bound by", "decode", "bound", ""),
        ("memory", "memory", "total_bytes", "B"), ("capacity", "memory", "capacity_bytes", "B"),
        ("fits", "memory", "fits", ""), ("a million output tokens", "cost", "per_million_output_tokens", "currency")),
    "nncost.run": (
        ("model", "model", "name", ""), ("device", "device", "name", ""), ("devices", "run", "devices", ""),
        ("step", "step", "step_s", "s"), ("steps", "run", "steps", ""), ("days", "run", "days", ""),
        ("goodput", "run", "goodput", "%"), ("memory", "memory", "total_bytes", "B"),
        ("capacity", "memory", "capacity_bytes", "B"), ("verdict", "memory", "fit", ""),
        ("cost of the run", "cost", "run", "currency")),
    "nncost.explain": (("figure", "", "quantity", ""),),
    "nncost.fit": (
        ("model", "", "model", ""), ("device", "", "device", ""), ("software", "", "software", ""),
        ("largest micro-batch", "", "micro_batch", ""), ("micro-batch that may fit", "", "micro_batch_tight", ""),
        ("longest sequence", "", "seq_len", ""), ("memory", "", "total_bytes", "B"),
        ("capacity", "", "capacity_bytes", "B"), ("step", "", "step_s", "s")),
}
_LISTS = ("best", "changes", "remedies")  # lists of plans and changes, which are shown before the counts


def _with_unit(value: Any, unit: str) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, list) and len(value) == 2 and value[0] is not None and value[1] is None:
        return f"from {_with_unit(value[0], unit)}, without an upper end"
    if isinstance(value, list):
        return " .. ".join(_with_unit(part, unit) for part in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if unit == "s":
        for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "us")):
            if abs(value) * factor >= 1:
                return f"{value * factor:.4g} {name}"
    if unit == "B":
        return f"{value / 1e9:.4g} GB"
    if unit == "%":
        return f"{100 * value:.1f} %"
    return f"{value:.6g} {unit}".rstrip() if isinstance(value, float) else f"{value} {unit}".rstrip()


def _unit_of(name: str) -> str:
    """Returns the unit in the last part of a metric's name."""
    if name.endswith("_s") and not name.endswith("per_s"):
        return "s"
    return "B" if name.endswith("_bytes") else "%" if name.endswith(("mfu", "hfu", "share")) else ""


def _page(head: str, rows: Iterable[tuple[str, ...]], names: Iterable[str] = ()) -> str:
    def cells(row: Iterable[str], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in row) + "</tr>"

    names = tuple(names)
    return (f"<p>{html.escape(head)}</p>" if head else "") + "<table>" + (cells(names, "th") if names else "") + \
        "".join(cells(row, "td") for row in rows) + "</table>"


def _plan_row(row: dict[str, Any]) -> str:
    """Formats a plan or a change as one line: time of a step or a token, memory, and the options of the command."""
    size = row.get("memory_bytes", row.get("total_bytes"))
    return f"{_with_unit(row.get('step_s', row.get('tpot_s')), 's'):>9}  {_with_unit(size, 'B'):>9}  {row.get('command', row.get('options'))}"


class Answer(dict):
    """The JSON output of a command. answer.step.step_s is answer["step"]["step_s"]. answer.step_s is the same value,
    because only one record has this key. If a key has the name of a method of dict, read it with [] only. None is an
    unknown number."""

    def __missing__(self, name: Any) -> Any:
        records = [key for key, record in self.items() if isinstance(record, dict) and name in record]
        near = difflib.get_close_matches(str(name), self, 1, 0.6)
        raise KeyError(f"{name}: no key of the answer, " + (f"expected it in {' or '.join(records)}" if records else
                       f"did you mean {near[0]}? It has {', '.join(self)}" if near else f"expected one of {', '.join(self)}"))

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        records = [key for key, record in self.items() if isinstance(record, dict) and name in record]
        if len(records) == 1:
            return self[records[0]][name]
        if records:
            raise AttributeError(f"{name}: is in several records, expected one of "
                                 f"{', '.join(f'{key}.{name}' for key in records)}")
        inner = [f"{key}.{it}" for key, record in self.items() if isinstance(record, dict) for it in record]
        near = difflib.get_close_matches(name, [*self, *(one.split(".")[1] for one in inner)], 1, 0.6)
        meant = [one for one in (*self, *inner) if near and one.split(".")[-1] == near[0]]
        raise AttributeError(f"{name}: not part of the answer, " + (f"did you mean {meant[0]}? It has " if meant else
                             "expected one of ") + ", ".join(self))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain dicts and lists, for programs that test types."""
        return json.loads(json.dumps(self))

    def _rows(self) -> Iterator[tuple[str, str]]:
        first = _FIRST.get(str(self.get("schema", "")).partition("/")[0], ())
        for label, record, key, unit in first:
            values = self.get(record, {}) if record else self
            if key in values:
                yield label, _with_unit(values[key], values.get("currency", "") if unit == "currency" else unit)
        for line in self.get("lines", ()) if "quantity" in self else ():  # the answer of 'nncost explain'
            told = (line.get("formula") or line.get("text"), line.get("numbers"), line.get("result"), line.get("unit"))
            yield line["name"], " = ".join(_with_unit(part, "") for part in told[:3] if part is not None) + \
                (f" {told[3]}" if told[3] else "")
            yield from (("", line[key]) for key in ("meaning", "note", "source") if line.get(key))
        for key in [name for name in _LISTS if self.get(name)] if first else sorted(self, key=lambda name: name not in _LISTS):
            value = self[key]
            if isinstance(value, dict):
                yield from ((f"{key}.{inner}", _with_unit(it, _unit_of(inner))) for inner, it in value.items()
                            if not isinstance(it, (dict, list)))
            elif isinstance(value, list):
                yield key, f"{len(value)} rows"
                if key in _LISTS:
                    yield from (("", _plan_row(row)) for row in value[:5])
            elif key not in ("schema", "sentence"):
                yield key, _with_unit(value, _unit_of(key))

    def __str__(self) -> str:
        rows = list(self._rows())
        width = max((len(label) for label, _ in rows), default=0)
        head = [self["sentence"]] if self.get("sentence") else []
        return "\n".join(head + [f"{label:{width}}  {value}" for label, value in rows])

    def _repr_html_(self) -> str:
        return _page(self.get("sentence") or "", self._rows())


class Columns(dict):
    """A table: a dict with one list per column; all lists have the same length. pandas.DataFrame(columns),
    polars.DataFrame(columns) and pyarrow.table(dict(columns)) accept it without conversion. None is an unknown number.
    Each column has the last part of the name that the command gives it, if this part is unique, with '_' instead of
    '.': "step_s" for "step.step_s". columns["step.step_s"] finds the column as well. columns[0] is the first row, as a
    dict."""

    full: dict[str, str] = {}  # the names in the command, if they differ

    @classmethod
    def of_rows(cls, rows: list[dict[str, Any]]) -> "Columns":
        names = list(dict.fromkeys(name for row in rows for name in row))
        last = [name.split(".", 1)[-1].replace(".", "_") for name in names]
        plain = [short if last.count(short) == 1 else name.replace(".", "_") for name, short in zip(names, last)]
        table = cls({short: [row.get(name) for row in rows] for name, short in zip(names, plain)})
        table.full = {name: short for name, short in zip(names, plain) if name != short}
        return table

    def __getitem__(self, name: Any) -> Any:
        """Returns the column with this name. A number gives a row, and a slice gives a list of rows."""
        return self.rows()[name] if isinstance(name, (int, slice)) else super().__getitem__(name)

    def __missing__(self, name: str) -> list[Any]:
        if name not in self.full:
            known = ", ".join(self)
            near = difflib.get_close_matches(name, [*self, *self.full], 1, 0.6)
            raise KeyError(f"{name}: not a column, " + (f"did you mean {near[0]}? There are " if near else
                           "expected one of ") + f"{known}; rows() has the rows")
        return self[self.full[name]]

    def __getattr__(self, name: str) -> list[Any]:
        if name.startswith("_") or name not in self:
            raise AttributeError(f"{name}: not a column, expected one of {', '.join(self)}")
        return self[name]

    def rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self, row)) for row in zip(*self.values())]

    def to_dict(self) -> dict[str, list[Any]]:
        return {name: list(column) for name, column in self.items()}

    def _table(self) -> list[tuple[str, ...]]:
        units = [_unit_of(name) for name in self]
        return [tuple(_with_unit(cell, unit) for cell, unit in zip(row, units)) for row in zip(*self.values())]

    def __str__(self) -> str:
        table = [tuple(self), *self._table()]
        widths = [max(len(row[i]) for row in table) for i in range(len(self))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)

    def _repr_html_(self) -> str:
        return _page("", self._table(), self)


class Picture(str):
    """The text of an SVG picture. A notebook draws it."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the picture to an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)
