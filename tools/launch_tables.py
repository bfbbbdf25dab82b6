#!/usr/bin/env python3
"""Writes the tables of launch-file keys in docs/files.md, one section for each file of foreign/launch/.

usage: tools/launch_tables.py          rewrites docs/files.md below its marker
       tools/launch_tables.py --check  fails if docs/files.md differs from the tables, or if the keys of a table are not
                                       in the order that nncost needs
"""
import json
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = "<!-- tools/launch_tables.py writes the rest -->\n"


def option(name):
    """Returns the option of a field; returns "model.hidden" and "MODEL" unchanged."""
    if name.startswith("model.") or name in ("MODEL", "SOFTWARE"):
        return f"`{name}`"
    return "`--" + name.replace("_", "-") + "`"


def fields(sets):
    """Formats fields and values: {"zero": "3"} becomes "`--zero` 3"."""
    parts = []
    for name, value in sets.items():
        mark, bare = (name[0], name[1:]) if name[0] in "?!-+#" else ("", name)
        if mark == "!":
            parts.append(f"{option(bare)} must be known")
        elif mark == "#":
            parts.append(f"inexact: {value}")
        elif mark == "-":
            parts.append(f"{option(bare)}: {value}")
        else:
            shown = f"= `{value[1:]}`" if value[0] in "=@" else value
            parts.append(f"{option(bare)} {shown}" + (" unless another key sets it" if mark == "?" else ""))
    return ", ".join(parts) if parts else "nothing"


def conditions(of):
    return ", ".join(f"{key.replace('@', '').replace('!', 'not ')} {' or '.join(values)}" for key, values in of.items())


def limits(row, when):
    """Formats the conditions of a row or rule: conditions that must hold, and conditions that must not hold."""
    unless = f"not ({conditions(row['unless'])})" if "unless" in row else ""
    return ", ".join(text for text in (conditions(row.get(when, {})), unless) if text)


def becomes(row):
    if "file" in row:
        known = ", ".join(f"`{name}`" for name in row.get("known", {}))
        text = f"another launch file ({row['file']})" + (f"; known without it: {known}" if known else "")
    elif "sets" in row:
        text = fields(row["sets"])
    elif "families" in row:
        text = "`--train`, `--train-layers`: the parameters whose names match"
    elif "values" in row:
        by_fields = {}
        for value, sets in row["values"].items():
            by_fields.setdefault(fields(sets), []).append(value or '""')
        text = "; ".join(f"{', '.join(values)}: {sets}" for sets, values in by_fields.items())
        if len(row["values"]) > 8 and all(name.startswith(("model.", "MODEL")) for sets in row["values"].values() for name in sets):
            text = "the network: " + ", ".join(f"`{value}`" for value in row["values"])
        if "with" in row:
            text += f" (`{row['with']}`/value)"
    else:
        text = option(row["to"])
        text += ": on if above 0" if row.get("as") == "switch" else ": its pattern" if row.get("as") == "pattern" \
            else ": the share that gives this number of tokens in a step" if row.get("as") == "accepted" else ""
    if "when" in row or "unless" in row:
        text += f" (with {limits(row, 'when')}" + (f"; else {fields(row['otherwise'])})" if "otherwise" in row else ")")
    return text + ("; may be \"auto\"" if "auto" in row else "")


def table(head, rows):
    if not rows:
        return ""
    cells = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n{cells}\n\n"


def grouped(rows, kind):
    by_reason = {}
    for row in rows:
        by_reason.setdefault(row[kind], []).append(f"`{row['key']}`")
    return [(reason, " ".join(keys)) for reason, keys in by_reason.items()]


def written(of):
    """Formats the keys that --emit writes, and the plans that it refuses."""
    writer = of.get("writer")
    if not writer:
        return ""
    by_value = {}
    for entry in writer["keys"]:
        value = entry.get("value", "")
        plan = value[:1] in ("@", "=") or "value" not in entry
        by_value.setdefault(entry["key"], []).append("the plan" if plan or "if" in entry or "unless" in entry else f"`{value}`")
    always = [f"`{key}`: {values[0]}" for key, values in by_value.items() if values[0] != "the plan"]
    source = textwrap.fill(f"`--emit {of['id']}` writes a launch file in the format `{of['id']}`. The keys that `--emit {of['id']}` writes are defined in {writer['source']}.", 118, break_long_words=False, break_on_hyphens=False)
    text = f"### Keys that `--emit` writes\n\n{source}\n\n"
    given = [f"{option(name)} {value}" for name, value in {**writer.get("plan", {}), **writer.get("search", {})}.items()]
    if "software" in writer:
        given.insert(0, f"`--software` {writer['software'][0]}")
    rows = [("from the plan and the model", " ".join(f"`{key}`" for key, values in by_value.items() if values[0] == "the plan"))]
    rows += [("with the same value in every file; change it", ", ".join(always))] if always else []
    rows += [("not in the file; set by options or other files", " ".join(option(name) for name in writer["outside"]))] if writer.get("outside") else []
    rows += [("plan settings of the program, unless options change them", ", ".join(given) + (" (of a search)" if "search" in writer else ""))] if given else []
    text += table(("kind of keys", "keys or options"), rows)
    refused = {}
    for rule in writer.get("cannot", []):
        refused.setdefault((option(rule["option"].lstrip("-").replace("-", "_")), rule["why"]), None)
    return text + (table(("option that cannot be written", "reason"), list(refused)) if refused else "")


def section(path):
    of = json.loads(path.read_text())
    rows = of["keys"]
    sets = [r for r in rows if any(k in r for k in ("to", "sets", "file")) or any(r.get("values", {}).values())]
    refused = [r for r in rows if r not in sets and "harmless" not in r and "note" not in r]
    source = textwrap.fill(f"With `--from {of['id']}`, nncost reads launch files in the format `{of['id']}`. The keys of the format `{of['id']}` are defined in {of['source']}.", 118, break_long_words=False, break_on_hyphens=False)
    text = f"## {of['name']}\n\n{source}\n\n"
    if "also" in of:
        text += textwrap.fill(f"If the next table does not list a key of the format `{of['id']}`, nncost reads this key as in the format `{of['also']}`.", 118, break_long_words=False, break_on_hyphens=False) + "\n\n"
    if sets:
        text += "### Keys that nncost reads\n\n" + table(("key", "what it sets"), [(f"`{r['key']}`", becomes(r)) for r in sets])
    if refused:
        text += "### Keys that nncost refuses, except with an allowed value\n\n" + table(
            ("key", "allowed values", "what to use instead"),
            [(f"`{r['key']}`", ", ".join(v or '""' for v in r.get("values", {})), r.get("instead", "")) for r in refused])
    for kind, title in (("note", "Keys that make the estimate inexact"), ("harmless", "Keys without effect on the estimate")):
        kept = [r for r in rows if kind in r]
        if kept:
            text += f"### {title}\n\n" + table(("reason", "keys"), grouped(kept, kind))
    if "renamed" in of:
        text += "### Earlier names of keys\n\n" + table(("earlier name", "name"), [(f"`{old}`", f"`{new}`") for old, new in of["renamed"].items()])
    absent = [("", ", ".join(f"`{k}` = {json.dumps(v)}" for k, v in of["absent"].items()), "the default of the program")] if "absent" in of else []
    rules = [(limits(r, "if"), fields(r["set"]), r.get("why", "")) for r in of.get("rules", [])]
    own = [("", fields(of["defaults"]), of.get("why", "the default of the program"))] if of.get("defaults") else []
    model = [("", fields(of["model"]), "the default of the program")] if "model" in of else []
    if absent or rules or own or model:
        text += "### Defaults of the program for keys that a file does not set\n\n" + table(("condition", "what the default sets", "reason"), absent + own + model + rules)
    return text + written(of)


def check_order(path):
    """Checks the order of keys. nncost searches the text of a file for the "signs" of a format before it reads the
    "keys" of this format. The object "writer" is not used for reading a launch file."""
    text = path.read_text()
    members = list(json.loads(text))
    late = {"inside", "signs", "never"} & set(members[members.index("keys"):])
    if late or ',\n  "keys": [' not in text:
        sys.exit(f"{path.name}: expected {sorted(late)} before ',\\n  \"keys\": ['")
    if "writer" in members and (members[-1] != "writer" or text.count(',\n  "writer": {') != 1):
        sys.exit(f"{path.name}: expected \"writer\" as the last member")


def main():
    page = ROOT / "docs" / "files.md"
    old = page.read_text()
    head = old.split(MARKER)[0]
    tables = sorted((ROOT / "foreign" / "launch").glob("*.json"))
    new = head + MARKER + "\n" + "".join(section(path) for path in tables).rstrip("\n") + "\n"
    if "--check" in sys.argv:
        for path in tables:
            check_order(path)
        if new != old:
            sys.exit("docs/files.md: not what tools/launch_tables.py writes from foreign/launch/")
        return
    page.write_text(new)


if __name__ == "__main__":
    main()
