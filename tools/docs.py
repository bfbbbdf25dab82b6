#!/usr/bin/env python3
"""Writes the files of docs/ that are generated from the tables of the program: man pages, completions and JSON Schemas.

    usage: docs.py NNCOST [--check]

Reads 'nncost docs options', which lists commands, options, fields, metrics and exit codes. Writes docs/nncost.1,
docs/nncost-files.5, docs/nncost.{bash,zsh,fish}-completion and docs/schema/*.json. --check writes nothing; if a
generated file differs from docs/, it prints the first different lines and exits with 1.
"""
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


class Number(str):
    """A number that keeps the digits that the program printed."""


# ---- man pages ----

def roff(text):
    """Escapes text for roff: a dash remains a dash, and no line is read as a roff request."""
    escapes = {"-": "\\-", "\\": "\\e", "'": "\\(aq"}
    return "".join(escapes.get(c, c) for c in text)


def roff_line(text):
    return ("\\&" if text.startswith(".") else "") + roff(text) + "\n"


def roff_term(term, rest, *paragraphs):
    """Returns a bold term with its argument, then its explanation."""
    return f".TP\n\\fB{roff(term)}\\fR{roff_line(rest)}" + "".join(map(roff_line, paragraphs))


def roff_values(names, meanings):
    if not meanings:
        return ""
    return ".RS\n" + "".join(roff_term(name, "", meaning) for name, meaning in zip(names, meanings)) + ".RE\n"


def man_commands(commands):
    text = ".SH COMMANDS\n"
    for command in commands:
        text += f".TP\n\\fB{command['name']}\\fR \\fI{roff(command['operands'])}\\fR\n" + roff_line(command["summary"])
        if command["notes"]:
            text += ".IP\n" + roff_line(command["notes"])
        if "serving" in command:
            serving = command["serving"]
            text += f".IP\n\\fBnncost {command['name']}\\fR \\fI{roff(serving['operands'])}\\fR:\n"
            text += roff_line(serving["summary"]) + roff_line(serving["notes"])
    return text


def man_options(options):
    def takers(option):
        return "" if option["common"] or not option["commands"] else f"Of {', '.join(option['commands'])}.\n"

    text = ".SH PLAN OPTIONS\n" + takers(options[0])
    text += "Values of\n.B compare\nmay be comma lists.\n"
    of_plan = True
    for option in options:
        if option["of_plan"] != of_plan:
            text += ".SH OPTIONS\nAlways in full.\n"
        of_plan = option["of_plan"]
        text += roff_term(option["name"], option["argument"], option["help"])
        text += roff_values(option["values"], option["meanings"])
        text += "" if of_plan else takers(option)
    return text


ENVIRONMENT = ".SH ENVIRONMENT\n" + roff_term(
    "NNCOST_PATH", "", "Folders with hw, models and software, joined by colons. They are searched first; then "
    "$XDG_CONFIG_HOME/nncost or ~/.config/nncost, and the data that was installed with the program.")


def man_exit_codes(statuses):
    text = ".SH EXIT STATUS\n" + roff_term("0", "", "done")
    text += roff_term("1", "", "the answer is no, such as: does not fit")
    codes = {}
    for status in statuses[1:]:
        codes.setdefault(status["exit_code"], []).append(roff(status["text"]))
    for code, texts in codes.items():
        text += roff_term(code, "") + ", ".join(texts) + "\n"
    return text + (".PP\nOn codes 2 to 4 standard output stays empty, and standard error says in one line where,\n"
                   "what was expected and what was found.\n")


def man_page(tables):
    return (
        f".\\\" Written by tools/docs.py.\n.TH NNCOST 1 \"\" \"nncost {tables['version']}\" \"User Commands\"\n"
        ".SH NAME\nnncost \\- time, memory, bounds and cost of a neural\\-network training step\n"
        ".SH SYNOPSIS\n.B nncost\n.I COMMAND\n.RI [ argument ...] \" \" [ options ]\n.br\n"
        ".B nncost\n.IR COMMAND \" \\-\\-help\"\n.br\n.B nncost \\-\\-version\n.SH DESCRIPTION\n"
        + roff_line("nncost estimates one training step from a file that describes the device and a file that describes "
                    "the model; the device itself is not needed. It says how long the step takes, what bounds it, "
                    "whether it fits and what it costs.")
        + ".PP\n"
        + roff_line("MODEL and DEVICE are ids (\"nncost list models\", \"nncost list devices\") or paths of files: "
                    "anything with a slash or ending in .json. A Hugging Face config.json is a model.")
        + man_commands(tables["commands"]) + man_options(tables["options"]) + ENVIRONMENT
        + roff_term("COLUMNS", "", "Width of tables [that of the terminal, or 100].")
        + roff_term("NO_COLOR", "", "If set, no colour.")
        + man_exit_codes(tables["statuses"]) + ".SH EXAMPLES\n.EX\n"
        + "".join(map(roff_line, (
            "nncost estimate gpt2-xl a100 --micro-batch 8", "nncost ops sd1-unet h100 --sort time --top 10",
            "nncost compare llama3-8b a100,h100,b200 --micro-batch 1,2,4", "nncost explain attn.qkv gpt2-xl a100",
            "nncost estimate path/to/config.json h100 --set mem_bytes_per_s=4e12")))
        + ".EE\n.SH SEE ALSO\n.BR nncost\\-files (5)\n")


def man_fields(fields, prefix=""):
    text = ""
    for field in fields:
        name = prefix + field["name"] + (".FORMAT" if field["kind"] in ("objects", "rates") else "")
        if "fields" in field:
            text += man_fields(field["fields"], name + ".")
            continue
        text += roff_term(name, f" ({field['unit']})" if field["unit"] else "", field["help"])
        if field["kind"] == "choice":
            text += roff(f"One of {', '.join(field['choices'])}.") + "\n"
        if field["required"]:
            text += "Required.\n"
        elif field["default"] is not None:
            text += f"[{roff(field['default'])}]\n"
        text += roff_values(field.get("choices", []), field.get("meanings"))
    return text


def man_files_page(tables):
    kinds = [("DEVICE FIELDS", "device"), ("SOFTWARE PROFILE FIELDS", "software"), ("CLUSTER FIELDS", "cluster")]
    return (
        f".\\\" Written by tools/docs.py.\n.TH NNCOST\\-FILES 5 \"\" \"nncost {tables['version']}\" \"File Formats\"\n"
        ".SH NAME\nnncost\\-files \\- devices, models, software profiles and plan files of nncost\n.SH DESCRIPTION\n"
        + roff_line("Devices, models and software profiles are JSON files in the folders hw, models and software of the "
                    "places that ENVIRONMENT lists. A field has the same name in a file, for --set and in the output; "
                    "dots lead into objects, and FORMAT is a number format such as bf16. Every file also has schema, id "
                    "and sources, which name the source of each value. like names another file, from which all "
                    "missing values are taken. \"nncost docs schema KIND\" prints a JSON Schema, \"nncost validate FILE\" "
                    "lists every fault, \"nncost show ID\" every value with its source.")
        + ".SH PLAN FILES\n"
        + roff_line("A plan file stands for MODEL and DEVICE in every command. It has schema nncost.plans/1, common and "
                    "scenarios; a scenario has an id, model, device, any plan option with _ for -, set, require and "
                    "tolerance, and inherits the other values from common. recorded is written by \"nncost check "
                    "--update\" only. \"nncost init\" prints a starting file.")
        + ".SH DEFAULTS FILE\n"
        + roff_line("$XDG_CONFIG_HOME/nncost/defaults holds options for all commands, one per line, such as --software "
                    "megatron; --no-defaults ignores it.")
        + "".join(f".SH {heading}\n" + man_fields(tables["tables"][name]) for heading, name in kinds)
        + "".join(f".SH MODEL FIELDS, FAMILY {family.upper()}\n" + man_fields(fields)
                  for family, fields in tables["models"].items())
        + ENVIRONMENT + ".SH SEE ALSO\n.BR nncost (1)\n")


# ---- completions ----

# Kind of each operand of a command, unless the operand is a file.
OPERANDS = (
    ("estimate fit advise ops compare run serve sweep search scale report explore init", ("models", "devices")),
    ("plot", ("pictures", "models", "devices")),
    ("explain", ("names", "models", "devices")),
    ("show", ("ids",)),
    ("list", ("kinds",)),
    ("help", ("commands",)),
    ("docs", ("documents", "forms")),
)

BASH = r'''# bash completion for nncost, written by tools/docs.py.

# The words of one kind; of devices, models and profiles ids and aliases.
_nncost_words() # kind, the first operand
{
    local list
    case $1 in
    models | devices | software)
        "${COMP_WORDS[0]}" list "$1" --format json 2>/dev/null |
            sed -n 's/.*"id": "\([^"]*\)".*"aliases": "\([^"]*\)".*/\1 \2/p; t; s/.*"id": "\([^"]*\)".*/\1/p' | tr ',' ' ' ;;
    ids)
        for list in devices models software; do _nncost_words "$list"; done ;;
    names)
        "${COMP_WORDS[0]}" explain --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | sed 's/.*\.//' ;;
    kinds)
        echo 'devices models software' ;;
    documents)
        echo 'man completion options schema' ;;
    forms)
        case $2 in
        man) echo files ;;
        completion) echo 'bash zsh fish' ;;
        schema) "${COMP_WORDS[0]}" docs schema 2>/dev/null | cut -d ' ' -f 1 ;;
        esac ;;
    pictures)
        echo '@PICTURES@' ;;
    commands)
        echo '@COMMANDS@' ;;
    esac
}

_nncost()
{
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local words='' kind='' prefix='' operand='' position=0 i valued=' @VALUED@ '
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words="$(_nncost_words commands) help --help --version"
    fi
    case $before in
@VALUES@    --software)
        words=$(_nncost_words software) ;;
    esac
    # number of the operand that the word under the cursor is; -1: it is the value of an option
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i + 1]} == = ]]; then
            i=$((i + 2))
        elif [[ ${COMP_WORDS[i]} != -* ]]; then
            [[ -n $operand ]] || operand=${COMP_WORDS[i]}
            position=$((position + 1))
        elif [[ $valued == *" ${COMP_WORDS[i]} "* ]]; then
            i=$((i + 1))
        fi
    done
    ((i <= COMP_CWORD)) || position=-1
    [[ $current != *,* || $current == -* ]] || prefix=${current%,*},
    if [[ -n $words ]]; then
@ANSWER@        return
    fi
    case ${COMP_WORDS[1]}:$position in
@KINDS@    esac
    if [[ $current != -* ]]; then
        words=$([[ -z $kind ]] || _nncost_words "$kind" "$operand")
    else
        case ${COMP_WORDS[1]} in
@CASES@        esac
    fi
@ANSWER@}

complete -o default -F _nncost nncost
'''

BASH_ANSWER = r'''    # shellcheck disable=SC2207 # words have no blanks, and zsh has no mapfile
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "${current##*,}"))
'''

# This script is loaded as a completion function of zsh. The script loads the completion script of bash, which then
# replaces the function.
ZSH = '''#compdef nncost
# zsh completion for nncost, written by tools/docs.py.
autoload -U +X bashcompinit && bashcompinit
source <(nncost docs completion bash)
_bash_complete -o default -F _nncost
'''

FISH = r'''# fish completion for nncost, written by tools/docs.py.
function __nncost_words
    switch $argv[1]
        case models devices software
            nncost list $argv[1] --format json 2>/dev/null | string match -r -g '"(?:id|aliases)": "([^"]*)"' -a | string split ', '
        case ids
            for list in devices models software
                __nncost_words $list
            end
        case names
            nncost explain --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | string replace -r '.*\.' ''
        case kinds
            string split ' ' 'devices models software'
        case documents
            string split ' ' 'man completion options schema'
        case forms
            switch (commandline -opc)[3]
                case man
                    echo files
                case completion
                    string split ' ' 'bash zsh fish'
                case schema
                    nncost docs schema 2>/dev/null | cut -d ' ' -f 1
            end
        case pictures
            string split ' ' '@PICTURES@'
        case commands
            string split ' ' '@COMMANDS@'
    end
end
# After a comma: the next word of a list.
function __nncost_list
    set -l before (string match -r '^.*,' -- (commandline -ct))
    for word in (__nncost_words $argv)
        echo "$before$word"
    end
end
function __nncost_at --argument-names place
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv[2..-1]; or return 1
    set -l position 0
    set -l value no
    for word in $words[3..-1]
        if test $value = yes
            set value no
        else if not string match -q -- '-*' $word
            set position (math $position + 1)
        else if contains -- $word @VALUED@
            set value yes
        end
    end
    test $value = no -a $position = $place
end
'''


def filled(template, **parts):
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1].lower()], template)


def names_of(options):
    return [name for option in options for name in (option["name"], option["alias"]) if name]


def shared_words(tables):
    return {"pictures": " ".join(tables["pictures"]),
            "commands": " ".join(command["name"] for command in tables["commands"]),
            "valued": " ".join(names_of(o for o in tables["options"] if o["argument"].startswith(" ")))}


def bash_completion(tables):
    words = {}  # two commands may have an option with the same name: the first one counts
    for option in tables["options"]:
        if option["values"]:
            words.setdefault(option["name"], " ".join(option["values"]))
    kinds = "".join(
        "    " + " | ".join(f"{command}:{place}" for command in commands.split()) + f") kind={kind} ;;\n"
        for commands, places in OPERANDS for place, kind in enumerate(places))
    cases = "".join(f"        {command['name']})\n            words='{' '.join(names_of(command['options']))}' ;;\n"
                    for command in tables["commands"])
    return filled(BASH, **shared_words(tables), answer=BASH_ANSWER, kinds=kinds, cases=cases,
                  values="".join(f"    {name})\n        words='{list_}' ;;\n" for name, list_ in words.items()))


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(option):
    value = ""
    if option["values"]:
        value = f" -x -a '{' '.join(option['values'])}'"
    elif option["name"] == "--software":
        value = " -x -a '(__nncost_list software)'"
    elif option["argument"].startswith(" "):
        value = " -r" if option["argument"] == " FILE" else " -x"
    about = re.split(r"[.;:,\[(]", option["help"])[0][:63]
    return (f"complete -c nncost -n '{' '.join(['__fish_seen_subcommand_from', *option['commands']])}' "
            f"-l {option['name'][2:]}{value} -d {fish_quoted(about)}\n")


def fish_completion(tables):
    text = filled(FISH, **shared_words(tables))
    for commands, places in OPERANDS:
        for place, kind in enumerate(places):
            text += f"complete -c nncost -n '__nncost_at {place} {commands}' -a '(__nncost_list {kind})'\n"
    text += "complete -c nncost -n __fish_use_subcommand -x -a help -d 'All options of a command.'\n"
    for command in tables["commands"]:
        text += (f"complete -c nncost -n __fish_use_subcommand -x -a {command['name']} "
                 f"-d {fish_quoted(command['summary'])}\n")
    return text + "".join(map(fish_option, tables["options"]))


# ---- schemas: a block is an object with a line for each list of its members ----

class Block(list):
    """A JSON object on several lines. Each element is a dict with the members of one line."""


def written(value, depth=0):
    if isinstance(value, Block):
        lines = ["  " * (depth + 1) + ", ".join(f"{json.dumps(key)}: {written(one, depth + 1)}" for key, one in line.items())
                 for line in value]
        return "{\n" + "".join(line + ",\n" for line in lines[:-1]) + "".join(f"{line}\n" for line in lines[-1:]) + "  " * depth + "}"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)}: {written(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(written(one, depth) for one in value) + "]"
    return value if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def schema(comment, title, lines):
    return written(Block([{"$schema": "https://json-schema.org/draft/2020-12/schema"}, {"$comment": comment},
                          {"title": title}] + lines)) + "\n"


def block_of(members):
    """Returns a Block with one member per line."""
    return Block({key: value} for key, value in members.items())


def typed(name, nullable, unit=None):
    """Returns the schema of a type. unit: the value may also be a string with this unit ("24GiB")."""
    names = [name] + (["string"] if unit else []) + (["null"] if nullable else [])
    return {"type": names if len(names) > 1 else name}


def limits(field):
    if field["minimum"] is None:
        return {}
    return {"exclusiveMinimum" if field["above_minimum"] else "minimum": field["minimum"], "maximum": field["maximum"]}


def described(field):
    text = field["help"] + (f" Unit: {field['unit']}." if field["unit"] else "")
    return {"description": text + (f" Default: {field['default']}." if field["default"] is not None else "")}


def value_of(field, inherits):
    """Returns the schema of a field, on one line. inherits: null is allowed, because it removes a value that a scenario
    inherits from "common"."""
    kind = field["kind"]
    if kind == "switch":
        value = typed("boolean", inherits)
    elif kind in ("whole", "number"):
        value = typed("number" if kind == "number" else "integer", inherits or not field["required"],
                      field["unit"]) | limits(field)
    elif kind == "choice":
        names = field["choices"]
        if inherits:  # names that are numbers may be written without quotes
            names = [None] + [one for name in names
                              for one in ([name, Number(name)] if re.fullmatch(r"[0-9.]+", name) else [name])]
        value = {"enum": names}
    elif kind in ("wholes", "switches", "choices"):
        items = ({"enum": field["choices"]} if kind == "choices" else typed("boolean", False) if kind == "switches"
                 else typed("integer", False) | limits(field))
        value = {"type": "array", "minItems": 1, "maxItems": field["most"], "items": items}
    else:
        value = typed("string", inherits) | {"minLength": 1}
        if int(field["length"]) > 0:
            value["maxLength"] = int(field["length"]) - 1
    return described(field) | value


NOTE = {"note": {"description": "A comment.", "type": "string"}}
TEXT = {"type": "string"}
VALUES = ["number", "string", "boolean", "null"]


class Files:
    """Makes the schemas of device, model and software files."""

    def __init__(self, tables):
        self.tables = tables
        self.by_format = lambda block: {"patternProperties": block_of({f"^({'|'.join(tables['formats'])})$": block})}

    @staticmethod
    def is_fitted(fields):
        return any(field["name"] == "fitted_on" and field["required"] for field in fields)

    def properties(self, fields, members):
        """Returns type and members of an object. members: the members that follow the member "note"."""
        same = {"same_as": {"description": "Name of the object next to this one whose values are used for all that are not given.",
                            "type": "string"}} if self.is_fitted(fields) else {}
        return [{"type": "object"}, {"additionalProperties": False}, {"properties": block_of(NOTE | same | members)}]

    def members(self, fields):
        return {field["name"]: self.member(field) for field in fields}

    def member(self, field):
        if field["kind"] not in ("object", "objects", "rates"):
            return value_of(field, False)
        if field["kind"] == "object":
            return Block([described(field)] + self.properties(field["fields"], self.members(field["fields"])))
        inner = (Block([typed("number", True, field["unit"]) | limits(field)]) if field["kind"] == "rates" else
                 Block(self.properties(field["fields"], self.members(field["fields"]))))
        return Block([described(field), {"type": "object"}, {"additionalProperties": False},
                      {"properties": {"note": TEXT}}, self.by_format(inner)])

    @staticmethod
    def required(fields):
        return [field["name"] for field in fields if field["required"]]

    def any_required(self, fields):
        return any(field["required"] or self.any_required(field.get("fields", [])) for field in fields)

    def requirements(self, fields, others=None):
        """Returns the required members of objects, at every depth."""
        lines = []
        if others is None and self.is_fitted(fields):  # with same_as, the other object has the required members
            lines.append({"anyOf": [{"required": self.required(fields)}, {"required": ["same_as"]}]})
        elif others is not None or self.required(fields):
            lines.append({"required": self.required(fields) + (others or [])})
        inner = {}
        for field in fields:
            if self.any_required(field.get("fields", [])):
                block = Block(self.requirements(field["fields"]))
                inner[field["name"]] = Block([self.by_format(block)]) if field["kind"] == "objects" else block
        return lines + ([{"properties": block_of(inner)}] if inner else [])

    def objects(self, description, table, *texts):
        fields = self.tables["tables"][table]
        return block_of({"description": description, "type": "array", "items": Block(
            [{"required": self.required(fields)}]
            + self.properties(fields, self.members(fields) | {text: TEXT for text in texts}))})

    def root(self, name, fields, kind):
        """Returns the schema of one kind of file. kind: device, software, or the family of a model."""
        members = {"schema": {"const": name},
                   "like": {"description": "Id, alias or path of a file of this kind, from which all missing values are taken.",
                            "type": "string"}} | self.members(fields)
        members["aliases"] = {"description": "Other names on the command line.", "type": "array", "items": TEXT}
        if kind == "device":
            members["prices"] = self.objects("Newest on-demand price first.", "price", "where", "date", "source")
            members["instances"] = {"description": "Names of rented servers, and their number of devices.", "type": "object",
                                    "additionalProperties": {"type": "integer", "minimum": 1}}
        elif kind == "software":
            members |= {
                "stands_for": self.objects("Frameworks whose runs this profile describes, and their default behaviour.",
                                           "framework"),
                "recipes": self.objects("Switches that a release sets for some models and devices; of several the last "
                                        "that matches counts.", "recipe"),
                "compared": self.objects("Predicted and measured steps compared: `accuracy --summary`.", "track"),
                "ranges": self.objects("Half width, in the logarithm, of the range in which nine of ten measured steps fall.",
                                       "range")}
        elif kind == "graph":
            members |= {
                "let": {"description": "Named whole numbers; a text computes one from those above. Numbers can be "
                        "changed by --set.", "type": "object", "additionalProperties": {"type": ["integer", "string"]}},
                "input": {"description": "The input without the batch: tokens, or a shape.", "type": "object"},
                "define": {"description": "Named macros: args with their defaults, and ops.", "type": "object",
                           "additionalProperties": {"type": "object", "required": ["ops"]}},
                "ops": {"description": "Steps, each an object with op, use, repeat, if, from or as.", "type": "array",
                        "minItems": 1, "items": {"type": "object"}}}
        elif kind == "decoder":
            members["towers"] = {
                "description": "Networks that turn images or sounds into input of the decoder, in addition to text. Each has "
                "the let, input, define and ops of a graph file.", "type": "array", "maxItems": 2,
                "items": {"type": "object", "required": ["input", "ops"]}}
        members |= {
            "references": {"description": "Texts that sources and fitted_on cite as @key. A key is letters, digits, - "
                           "and _.", "type": "object", "additionalProperties": TEXT},
            "sources": block_of({
                "description": "Sources of values, by field or by the beginning of its dotted name; an empty key "
                "stands for all fields.", "type": "object", "minProperties": 1,
                "additionalProperties": {"anyOf": [TEXT, {"type": "array", "minItems": 1, "items": TEXT}]}})}
        return [{"if": {"required": ["like"]}}, {"then": {"required": ["schema", "id", "name"]}},
                {"else": Block(self.requirements(fields, ["schema", "input", "ops"] if kind == "graph" else ["schema"]))},
                ] + self.properties(fields, members)

    def families(self):
        """Returns one schema for each family. The key "family" of a file selects the schema."""
        models = self.tables["models"]
        return [{"properties": block_of({"family": {"enum": list(models)}})},
                {"anyOf": [{"required": ["family"]}, {"required": ["like"]}]},
                {"allOf": [block_of({"if": {"required": ["family"], "properties": {"family": {"const": family}}},
                                     "then": Block(self.root("nncost.model/1", fields, family))})
                           for family, fields in models.items()]}]

    def pages(self):
        comment = "Written by tools/docs.py. Relations between fields are checked only by 'nncost validate'."
        for kind, title in (("device", "Device"), ("software", "Software profile")):
            yield kind, schema(comment, title, self.root(f"nncost.{kind}/1", self.tables["tables"][kind], kind))
        yield "model", schema(comment, "Model", self.families())


def plan_part(tables, is_scenario):
    """Returns the schema of the common part of a plan file, or of a scenario."""
    references = ("Id, alias or path of the model; a path starts from this file's folder.",
                  "Id, alias or path of the device.", "Id, alias or path of the software profile.",
                  "Path of a cluster file, whose links replace those of the device.")
    members = {"id": {"description": "Name of the scenario.", "type": "string", "minLength": 1, "maxLength": 127,
                      "pattern": "^[^,]*$"}} if is_scenario else {}
    members |= NOTE
    for name, text in zip(tables["references"], references, strict=True):
        members[name] = {"description": text, "type": ["string", "null"], "minLength": 1}
    for field in tables["tables"]["plan"] + tables["tables"]["run"]:
        members[field["name"]] = value_of(field, True)
    members["serve"] = {"description": "The model serves requests: the other keys are options of 'nncost serve'.",
                        "type": ["boolean", "null"]}
    for field in tables["tables"]["serve"]:
        members.setdefault(field["name"], value_of(field, True))
    members["set"] = {"type": "object", "additionalProperties": {"type": VALUES},
                      "description": "Fields of model, device or plan, named as for --set: model.layers and its value."}
    members["require"] = {"type": "object", "additionalProperties": {"type": ["string", "null"]},
                          "description": "Limits that 'nncost check' requires, by metric: \"<= 9.5\"."}
    bound = {"type": ["number", "null"], "minimum": 0}
    members["measured"] = {"type": "object", "additionalProperties": False,
                           "properties": {"step_s": bound, "memory_bytes": bound, "note": TEXT},
                           "description": "What a run measured, which the interval of the estimate must contain."}
    members["tolerance"] = {
        "type": "object",
        "additionalProperties": {"type": ["object", "string"], "additionalProperties": False,
                                 "properties": {"absolute": bound, "relative": bound, "note": TEXT}},
        "description": "Largest difference between a metric and its recorded value."}
    return [{"type": "object"}, {"additionalProperties": False}, {"properties": block_of(members)}]


def plan_schema(tables):
    members = {
        "schema": {"const": tables["plans_schema"]}, **NOTE,
        "common": Block([{"description": "Values of every scenario that does not give its own."}] + plan_part(tables, False)),
        "record": {"description": "Metrics to record. Default: all.", "type": "array", "items": TEXT},
        "scenarios": block_of({"type": "array", "minItems": 1, "maxItems": tables["scenarios_most"],
                               "items": Block([{"required": ["id"]}] + plan_part(tables, True))}),
        "recorded": {"description": "Estimates, written by 'nncost check --update'.", "type": "object"}}
    return schema("Written by tools/docs.py. null in a scenario removes the common value. 'nncost check' checks "
                  "whether plans are legal.", "Plan file",
                  [{"type": "object"}, {"required": ["schema", "scenarios"]}, {"additionalProperties": False},
                   {"properties": block_of(members)}])


def metric_type(metric, nullable):
    if metric["type"] == "any":
        return {"type": VALUES}
    return {"enum": metric["choices"]} if metric["type"] == "choice" else typed(metric["type"], nullable)


def metric_help(metric):
    if metric["help"] is None:
        return {}
    return {"description": metric["help"] + (f" Unit: {metric['unit']}." if metric["unit"] else "")}


def metric_schema(metric):
    kind, about = metric["type"], metric_help(metric)
    if kind == "object":
        return Block([about | typed("object", metric["nullable"])] + object_lines(metric["members"]))
    if kind == "texts":
        return Block([about | typed("array", metric["nullable"]), {"items": TEXT}])
    if kind == "list":
        items = Block(object_lines(metric["members"]))
        if "others" in metric:
            items = Block([{"anyOf": [items] + [Block(object_lines(other)) for other in metric["others"]]}])
        return Block([about | typed("array", metric["nullable"]), {"items": items}])
    if metric["array"] and "keys" in metric:  # values with names are members of an object
        value = metric_type(metric, kind == "number")
        return Block([about | {"type": "object"}, {"properties": block_of({key: value for key in metric["keys"]})}])
    if metric["array"]:
        return Block([about | {"type": "array"}, {"items": metric_type(metric, metric["nullable"])}])
    return about | metric_type(metric, metric["nullable"])


def object_lines(metrics, name=None):
    """Returns the schema of an object's members. name: if given, the object is a document with this schema id."""
    first = [("schema", {"const": name})] if name else []
    return [{"required": [key for key, _ in first] + [metric["name"] for metric in metrics if metric["required"]]},
            {"properties": block_of(dict(first) | {metric["name"]: metric_schema(metric) for metric in metrics})}]


def output_schema(output):
    lines = object_lines(output["members"], output["schema"])
    if output["schema"] is None:  # the members of a sweep's row are the axes and columns that the command selects
        lines = lines[1:] + [{"patternProperties": {"^(plan|model|device)\\.": {"description": "A field.", "type": VALUES}}}]
    return schema("Written by tools/docs.py. Later versions may add members.", output["title"],
                  [{"type": "object"}] + lines)


# ---- all pages ----

def without_captures(tables):
    """Removes captured programs from the families of model files, because they are a separate kind of file
    (docs/pytorch.md)."""
    tables["models"].pop("capture")
    for fields in tables["models"].values():
        for field in fields:
            if field["name"] == "family":
                place = field["choices"].index("capture")
                for key in ("choices", "meanings"):
                    del field[key][place]


def pages(tables):
    without_captures(tables)
    yield "nncost.1", man_page(tables)
    yield "nncost-files.5", man_files_page(tables)
    yield "nncost.bash-completion", bash_completion(tables)
    yield "nncost.zsh-completion", ZSH
    yield "nncost.fish-completion", fish_completion(tables)
    schemas = dict(Files(tables).pages()) | {"plan": plan_schema(tables)}
    schemas |= {output["name"]: output_schema(output) for output in tables["outputs"]}
    for name, text in schemas.items():
        yield f"schema/{name}.json", text


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    told = subprocess.run([sys.argv[1], "docs", "options"], capture_output=True, text=True, check=True).stdout
    moved, names = 0, set()
    for name, text in pages(json.loads(told, parse_int=Number, parse_float=Number)):
        path = DOCS / name
        names.add(path)
        old = path.read_text() if path.exists() else ""
        if text == old:
            continue
        moved += 1
        if sys.argv[2:]:
            print(*list(difflib.unified_diff(old.splitlines(), text.splitlines(), f"docs/{name}", "now", lineterm=""))[:40],
                  sep="\n")
        else:
            path.write_text(text)
            print(f"rewritten: docs/{name}")
    for path in sorted(set((DOCS / "schema").iterdir()) - names):
        moved += 1
        print(f"docs/schema/{path.name}: no output or file of this kind")
    sys.exit(1 if moved and sys.argv[2:] else 0)


if __name__ == "__main__":
    main()
