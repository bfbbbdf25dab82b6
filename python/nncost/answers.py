"""What the functions of nncost give back: dicts with attributes, and tables as columns. Needs no other package."""
from __future__ import annotations

import html
import json
from typing import Any, Iterable, Iterator

# Figures of an estimate that a person reads first: label, record, key, unit.
_FIRST = (("step", "step", "step_s", "s"), ("90 % range", "step", "interval_s", "s"),
          ("lower bound", "step", "lower_bound_s", "s"), ("upper bound", "step", "upper_bound_s", "s"),
          ("bound by", "step", "bound", ""), ("memory", "memory", "total_bytes", "B"),
          ("capacity", "memory", "capacity_bytes", "B"), ("verdict", "memory", "verdict", ""),
          ("tokens per s", "throughput", "tokens_per_s", ""), ("samples per s", "throughput", "samples_per_s", ""),
          ("MFU", "throughput", "mfu", "%"), ("cost of the step", "cost", "step", "currency"))


def _with_unit(value: Any, unit: str) -> str:
    if value is None:
        return "unknown"
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


def _page(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    def cells(row: tuple[str, ...]) -> str:
        return "".join(f"<td>{html.escape(cell)}</td>" for cell in row)

    return (f"<p>{html.escape(head)}</p>" if head else "") + \
        "<table>" + "".join(f"<tr>{cells(row)}</tr>" for row in rows) + "</table>"


def _plan_row(row: dict[str, Any]) -> str:
    """A found plan or change in one line: step, memory, and the options to type."""
    size = row.get("memory_bytes", row.get("total_bytes"))
    return f"{_with_unit(row.get('step_s'), 's'):>9}  {_with_unit(size, 'B'):>9}  {row.get('command', row.get('options'))}"


class Answer(dict):
    """The JSON of a command. answer.step.step_s is answer["step"]["step_s"]; answer.step_s is the same, because one record
    has this key. A key with the name of a method of dict is read with [] alone. None is an unknown number."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        records = [key for key, record in self.items() if isinstance(record, dict) and name in record]
        if len(records) == 1:
            return self[records[0]][name]
        hint = f"is in several records, expected one of {', '.join(f'{key}.{name}' for key in records)}" if records else \
            f"not part of the answer, expected one of {', '.join(self)}"
        raise AttributeError(f"{name}: {hint}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, for programs that look at types."""
        return json.loads(json.dumps(self))

    def _rows(self) -> Iterator[tuple[str, str]]:
        if str(self.get("schema", "")).startswith("nncost.estimate/"):
            for label, record, key, unit in _FIRST:
                if key in self.get(record, ()):
                    unit = self[record].get("currency", "") if unit == "currency" else unit
                    yield label, _with_unit(self[record][key], unit)
            return
        for key, value in self.items():
            if isinstance(value, dict):
                yield from ((f"{key}.{inner}", _with_unit(it, "")) for inner, it in value.items()
                            if not isinstance(it, (dict, list)))
            elif isinstance(value, list):
                yield key, f"{len(value)} rows"
                if key in ("best", "changes", "remedies"):
                    yield from (("", _plan_row(row)) for row in value[:5])
            elif key not in ("schema", "sentence"):
                yield key, _with_unit(value, "")

    def __str__(self) -> str:
        rows = list(self._rows())
        width = max((len(label) for label, _ in rows), default=0)
        head = [self["sentence"]] if self.get("sentence") else []
        return "\n".join(head + [f"{label:{width}}  {value}" for label, value in rows])

    def _repr_html_(self) -> str:
        return _page(self.get("sentence") or "", self._rows())


class Columns(dict):
    """A table: one list per column, all of one length. pandas.DataFrame(columns), polars.DataFrame(columns) and
    pyarrow.table(dict(columns)) take it as it is. None is an unknown number. A column has the last part of its name where
    that is unique, with '_' for '.': "step_s" is "step.step_s" of the command; columns["step.step_s"] finds it, too."""

    full: dict[str, str] = {}  # names of the command, where they differ

    @classmethod
    def of_rows(cls, rows: list[dict[str, Any]]) -> "Columns":
        names = list(dict.fromkeys(name for row in rows for name in row))
        last = [name.split(".", 1)[-1].replace(".", "_") for name in names]
        plain = [short if last.count(short) == 1 else name.replace(".", "_") for name, short in zip(names, last)]
        table = cls({short: [row.get(name) for row in rows] for name, short in zip(names, plain)})
        table.full = {name: short for name, short in zip(names, plain) if name != short}
        return table

    def __missing__(self, name: str) -> list[Any]:
        if name not in self.full:
            known = ", ".join(self)
            raise KeyError(f"{name}: not a column, expected one of {known}; rows() has the rows")
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
        return [tuple(self)] + [tuple(_with_unit(cell, "") for cell in row) for row in zip(*self.values())]

    def __str__(self) -> str:
        table = self._table()
        widths = [max(len(row[i]) for row in table) for i in range(len(self))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)

    def _repr_html_(self) -> str:
        return _page("", self._table())


class Picture(str):
    """A picture as the text of an SVG file, which a notebook draws."""

    def _repr_svg_(self) -> str:
        return str(self)
