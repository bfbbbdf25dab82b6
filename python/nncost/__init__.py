"""nncost from Python: needs no build step and no other package; uses the shared library and the program.

    import nncost
    answer = nncost.estimate("llama3-8b", "h100", devices=8, zero=3, recompute="full")
    answer.step_s, answer.memory.fits, answer.to_dict()
    table = nncost.sweep("llama3-8b", ["a100", "h100"], micro_batch=[1, 2, 4])      # pandas.DataFrame(table)
    nncost.search("llama3-8b", "h100", devices=64).best[0].step_s
    nncost.capture(step, batch=8)                                  # operators of a training step of PyTorch (nncost.capture)

Options have the names of the command line, with '_' instead of '-'. Values may have units ("8k", "2GiB"). A Python list
gives a comma-separated list. None leaves an option out; False turns off an option that is on. The argument `set`
changes any parameter of the model or the device: set={"device.mem_bytes_per_s": "4TB/s"}. A model or a device is given
by an id, by a path, or as a dict with the content of a model or device file. A configuration of transformers can be a
model as well. If nncost refuses the input, nncost.Error is raised.

estimate() calls the shared library; all other functions run the program. If estimate() gets an alias of an option, it
runs the program as well. The module searches the library and the program in this package (a wheel), then in the
installation around it, then in the build folder of a checkout, then in the usual folders of the system.
$NNCOST_LIBRARY, $NNCOST_PROGRAM and $NNCOST_DATA name the library, the program and the data folder instead.
$NNCOST_PATH adds folders with your own files.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import difflib
import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from nncost.answers import Answer, Columns, Picture

__all__ = ["Answer", "Columns", "Error", "Picture", "Specs", "advise", "check", "command", "devices", "estimate", "explain",
           "fit", "limit", "models", "ops", "plot", "run", "search", "serve", "software", "sweep", "version"]

Value = Union[str, int, float, bool, None, "os.PathLike[str]"]
Content = Union[Value, Mapping[str, Any]]  # an id, a path, or the content of a file
Option = Union[Value, Sequence[Value]]
Contents = Union[Content, Sequence[Content]]
Changes = Optional[Mapping[str, Option]]

_DEVICE, _MODEL, _SOFTWARE = range(3)


class Error(ValueError):
    """Raised for refused input. .where and .what have the two parts of the message that the command prints."""

    def __init__(self, where: str, what: str):
        # For a model given as a dict, the message names a temporary file, which the caller does not know.
        if _written and where.startswith(_written.name):
            where = "dict" + where[where.find("config.json") + len("config.json"):]
        super().__init__(f"{where}: {what}")
        self.where, self.what = where, what


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("where", ctypes.c_char * 512), ("what", ctypes.c_char * 512)]


class _Plan(ctypes.Structure):  # memory of the size NNC_PLAN_ROOM; nnc_plan_set sets the members by name
    _fields_ = [("room", ctypes.c_uint64 * 64)]


def _places() -> Iterator[Path]:
    """Returns folders that may contain nncost: this package, the folder of its installation, and the build folder of a
    checkout."""
    package = Path(__file__).resolve().parent
    for parent in (package, *package.parents):
        if (parent / "share/nncost/hw").is_dir():
            yield parent
        if (parent / "CMakePresets.json").is_file() and (parent / "hw").is_dir():
            yield from sorted(parent.glob("build/*/"), key=lambda build: (build.name != "release", build.name))


def _find(patterns: Sequence[str]) -> Optional[str]:
    found = (file for place in _places() for pattern in patterns for file in sorted(place.glob(pattern)) if file.is_file())
    return next((str(file) for file in found), None)


def _find_library() -> str:
    return (os.environ.get("NNCOST_LIBRARY")
            or _find(("lib/libnncost.so*", "lib/*/libnncost.so*", "lib/python3*/*/nncost/lib/libnncost.so",
                      "src/libnncost.so", "src/libnncost_shared.so", "lib/libnncost*.dylib", "src/libnncost*.dylib"))
            or ctypes.util.find_library("nncost") or "libnncost.so")


def _find_program() -> str:
    found = os.environ.get("NNCOST_PROGRAM") or _find(("bin/nncost", "nncost")) or shutil.which("nncost")
    if not found:
        raise Error("nncost", "the program is not found, expected it next to the library, in PATH or as $NNCOST_PROGRAM")
    return found


def _find_data(library: str) -> Optional[str]:
    asked = os.environ.get("NNCOST_DATA")
    if asked:
        return asked
    for parent in [*_places(), *Path(library).resolve().parents, Path("/usr"), Path("/usr/local")]:
        if (parent / "share/nncost/hw").is_dir():
            return str(parent / "share/nncost")
        if (parent / "CMakeCache.txt").is_file() and (parent.parent.parent / "hw").is_dir():
            return str(parent.parent.parent)
    return None


def _load() -> Any:
    path = _find_library()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Error(path, f"the shared library cannot be loaded: {error}") from None
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in [
        ("nnc_version", text, []),
        ("nnc_specs_open", pointer, [text]),
        ("nnc_specs_close", None, [pointer]),
        ("nnc_device_load", ctypes.c_int, [pointer, text, pointer, pointer]),
        ("nnc_model_load", ctypes.c_int, [pointer, text, pointer, pointer]),
        ("nnc_software_load", ctypes.c_int, [pointer, text, pointer, pointer]),
        ("nnc_device_copy", ctypes.c_int, [pointer, pointer, pointer, pointer]),
        ("nnc_model_copy", ctypes.c_int, [pointer, pointer, pointer, pointer]),
        ("nnc_device_set", ctypes.c_int, [pointer, text, text, pointer]),
        ("nnc_model_set", ctypes.c_int, [pointer, text, text, pointer]),
        ("nnc_plan_init", None, [pointer, ctypes.c_size_t]),
        ("nnc_plan_set", ctypes.c_int, [pointer, text, text, pointer]),
        ("nnc_profiles_get", ctypes.c_int, [pointer, ctypes.c_bool, pointer, pointer]),
        ("nnc_scratch_create", pointer, []),
        ("nnc_scratch_destroy", None, [pointer]),
        ("nnc_specs_list", ctypes.c_int, [pointer, ctypes.c_int, pointer, pointer, pointer]),
        ("nnc_estimate_json", ctypes.c_int, [pointer] * 8),
        ("nnc_estimate_json_by_plan", ctypes.c_int, [pointer] * 8),
        ("nnc_text_free", None, [pointer]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _text(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"on" if value else b"off"
    return str(value).encode()


def _changes(given: Any) -> Mapping[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise Error("set", f'expected fields with their values, such as {{"model.layers": 24}}, found {given!r}')
    return given or {}


_written: Optional[tempfile.TemporaryDirectory[str]] = None


def _operand(value: Any) -> Any:
    """Writes a dict or a configuration of transformers to a file and returns its path; returns other values unchanged."""
    global _written
    if not isinstance(value, Mapping) and hasattr(value, "to_dict"):
        value = value.to_dict()
    if not isinstance(value, Mapping):
        return value
    _written = _written or tempfile.TemporaryDirectory(prefix="nncost-")
    text = json.dumps(value, default=str)
    name = next((str(value[key]) for key in ("id", "_name_or_path", "model_type") if value.get(key)), "config")
    folder = Path(_written.name) / hashlib.sha256(text.encode()).hexdigest()[:16] / (Path(name).name or "config")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(text, encoding="utf-8")  # the name of the folder is the name of the model
    return folder / "config.json"


class Specs:
    """Loads devices, models and software profiles, and keeps them in memory. Only one thread at a time may use a Specs
    object."""

    def __init__(self, data: Optional[str] = None):
        self._library = _load()
        data = data or _find_data(self._library._name)
        self._specs = self._library.nnc_specs_open(os.fsencode(data) if data else None)
        self._scratch = self._library.nnc_scratch_create()
        if not self._specs or not self._scratch:
            raise MemoryError("nncost")

    def __del__(self) -> None:
        if getattr(self, "_scratch", None):
            self._library.nnc_scratch_destroy(self._scratch)
        if getattr(self, "_specs", None):
            self._library.nnc_specs_close(self._specs)

    def _call(self, function: str, *arguments: Any) -> None:
        err = _Error()
        if getattr(self._library, function)(*arguments, ctypes.byref(err)) != 0:
            raise Error(err.where.decode(), err.what.decode())

    def _get(self, function: str, *arguments: Any) -> Any:
        found = ctypes.c_void_p()
        self._call(function, self._specs, *arguments, ctypes.byref(found))
        return found

    def estimate(self, model: Content, device: Content, software: Optional[str] = None, set: Changes = None,
                 **options: Option) -> Answer:
        """Estimates one training step. Returns the same values as `nncost estimate --format json`, without the errors
        of measured rows. Specs.estimate() refuses a release of a framework (software="nemo-26.06"); for a release,
        nncost.estimate() runs the program instead."""
        found = {"model": self._get("nnc_model_load", _text(_operand(model))),
                 "device": self._get("nnc_device_load", _text(_operand(device)))}
        for name, value in _changes(set).items():
            what, _, field = name.partition(".")
            if what not in found or not field:
                raise Error("set", f"expected model.FIELD or device.FIELD, found {name}")
            found[what] = self._get(f"nnc_{what}_copy", found[what])
            self._call(f"nnc_{what}_set", found[what], field.encode(), _text(value))
        for what in {name.partition(".")[0] for name in set or {}}:
            self._call(f"nnc_{what}_check", found[what], b"set")
        plan = _Plan()
        self._library.nnc_plan_init(ctypes.byref(plan), ctypes.sizeof(plan))
        for name, value in options.items():
            if value is None:
                continue
            near = difflib.get_close_matches(name, ("software", "set"), 1, 0.7)
            if near:
                raise Error(name, f'unknown argument, did you mean "{near[0]}"?')
            self._call("nnc_plan_set", ctypes.byref(plan), name.encode(), _text(value))
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        if software is None:
            function, profile = "nnc_estimate_json_by_plan", self._get("nnc_profiles_get", False)
        else:
            function, profile = "nnc_estimate_json", self._get("nnc_software_load", _text(software))
        self._call(function, found["model"], found["device"], profile, ctypes.byref(plan), self._scratch,
                   ctypes.byref(text), ctypes.byref(size))
        try:
            answer: Answer = json.loads(ctypes.string_at(text.value, size.value), object_hook=Answer)
        finally:
            self._library.nnc_text_free(text)
        if set:  # the library does not know which values `set` changed
            told = ", ".join(f"{name}={_text(value).decode()}" for name, value in set.items())
            answer["plan"]["overrides"] = told
            name = answer["model"]["name"]
            answer["sentence"] = answer["sentence"].replace(f"{name} takes", f"{name} with {told} takes", 1)
        return answer

    def _ids(self, kind: int) -> list[str]:
        ids, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_int32()
        self._call("nnc_specs_list", self._specs, kind, ctypes.byref(ids), ctypes.byref(count))
        return [ids[i].decode() for i in range(count.value)]

    def devices(self) -> list[str]:
        return self._ids(_DEVICE)

    def models(self) -> list[str]:
        return self._ids(_MODEL)

    def software(self) -> list[str]:
        return self._ids(_SOFTWARE)

    def version(self) -> str:
        return self._library.nnc_version().decode()


_shared: Optional[Specs] = None


def _specs() -> Specs:
    global _shared
    _shared = _shared or Specs()
    return _shared


def estimate(model: Content, device: Content, software: Optional[str] = None, set: Changes = None,
             **options: Option) -> Answer:
    try:
        answer = _specs().estimate(model, device, software, set, **options)
        if answer.memory.fit != "does_not_fit" and "tokens" not in options and "samples" not in options:
            return answer  # otherwise the program runs, because it adds the run, and changes with which the plan fits
    # In these cases the program runs: it needs no library, and it reads names of releases, aliases (qlora, dtype) and
    # `set` without "model."
    except Error as error:
        unknown = error.where in options and error.what.startswith("unknown")
        if error.where != "set" and not unknown and not error.what.startswith(("a release", "the shared library")):
            raise
    return command("estimate", model, device, software=software, set=set, **options)


estimate.__doc__ = Specs.estimate.__doc__


def _with(part: str, ids: list[str]) -> list[str]:
    return [one for one in ids if part.lower() in one]


def devices(part: str = "") -> list[str]:
    """Returns the ids of devices that contain a text: devices("h100")."""
    return _with(part, _specs().devices())


def models(part: str = "") -> list[str]:
    """Returns the ids of models that contain a text: models("qwen")."""
    return _with(part, _specs().models())


def software(part: str = "") -> list[str]:
    """Returns the ids of software profiles that contain a text: software("torch")."""
    return _with(part, _specs().software())


def version() -> str:
    return _specs().version()


# ---- the program ----

def _list(value: Contents) -> str:
    value = _operand(value)
    if isinstance(value, (str, os.PathLike)) or not hasattr(value, "__iter__"):
        return _text(value).decode()
    return ",".join(_text(_operand(part)).decode() for part in value)


def _run(name: str, operands: Sequence[Contents], options: Mapping[str, Any], output: Optional[str]) -> str:
    words = [_find_program(), name, "--no-defaults"]
    for option, value in options.items():
        option = "--" + option.replace("_", "-")
        if isinstance(value, Mapping):  # the argument `set`
            words += [word for field, to in value.items() for word in (option, f"{field}={_list(to)}")]
        elif value is True:
            words.append(option)
        elif value is not None:
            words.append(f"{option}={_list(value)}")
    words += [f"--format={output}"] if output else []
    done = subprocess.run([*words, "--", *map(_list, operands)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          encoding="utf-8", check=False)
    if done.returncode not in (0, 1):  # exit code 1 means that the answer is no, which is not an error
        said = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        where, _, what = said.removeprefix("nncost: ").partition(": ")
        raise Error(where, what)
    return done.stdout


def command(name: str, *operands: Contents, **options: Any) -> Answer:
    """Runs a command and returns its JSON output: command("compare", "gpt2", ["a100", "h100"], micro_batch=[1, 2])."""
    return json.loads(_run(name, operands, options, "json"), object_hook=Answer)


def ops(model: Content, device: Content, set: Changes = None, **options: Option) -> Columns:
    """Returns all ops of the step with shape, work, time and bound, as `nncost ops` lists them."""
    return Columns.of_rows(command("ops", model, device, set=set, **options)["ops"])


def _flat(record: Mapping[str, Any], head: str = "") -> dict[str, Any]:
    """Makes one flat row of a nested dict: {"latency": {"ttft_s": 1}} gets the key "latency.ttft_s". Omits lists of dicts."""
    row: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            row.update(_flat(value, f"{head}{key}."))
        elif not (isinstance(value, list) and any(isinstance(part, Mapping) for part in value)):
            row[head + key] = value
    return row


def sweep(model: Contents, device: Contents, set: Changes = None, **options: Option) -> Columns:
    """Returns one row for each combination of the given lists, as `nncost sweep`. all=True also returns rows that do
    not fit. serve=True predicts serving, with the options of `nncost serve`."""
    text = _run("sweep", (model, device), {"set": set, **options}, "json")
    if text.startswith("{\n"):  # one JSON object has all rows, for example with serve=True
        return Columns.of_rows([_flat(row) for row in json.loads(text)["rows"]])
    return Columns.of_rows([json.loads(line) for line in text.splitlines()])


def search(model: Content, device: Contents, set: Changes = None, **options: Option) -> Answer:
    """Searches plans for a number of devices. The answer has the fastest plans (.best) and the Pareto front of time and
    memory (.pareto)."""
    return command("search", model, device, set=set, **options)


def serve(model: Content, device: Content, set: Changes = None, **options: Option) -> Answer:
    """Predicts a decoder that serves requests. The answer has .latency, .throughput, .memory and .cost."""
    for name, value in options.items():
        if isinstance(value, (list, tuple, range)) and len(value) > 1:
            raise Error(name, "expected one value, found several, which nncost.sweep(model, device, serve=True, ...) takes")
    return command("serve", model, device, set=set, **options)


def fit(model: Content, device: Content, set: Changes = None, **options: Option) -> Answer:
    """Tells whether the plan fits in memory, and lists changes with which it fits."""
    return command("fit", model, device, set=set, **options)


def advise(model: Content, device: Content, set: Changes = None, **options: Option) -> Answer:
    """Returns the changes of the plan with the largest effect. Each of .changes has .options, .step_s, .total_bytes and
    .cost_usd."""
    return command("advise", model, device, set=set, **options)


def limit(model: Content, device: Content, of: str, set: Changes = None, **options: Option) -> Answer:
    """Finds how far a plan can be divided before the network bounds its step. The answer has .limit, .bound_by and
    .curve. of: tensor, context, data or batch."""
    return command("limit", model, device, of=of, set=set, **options)


def run(model: Content, device: Content, set: Changes = None, **options: Option) -> Answer:
    """Predicts a whole run of tokens=N or samples=N. The answer has .run.days, .run.goodput and .cost.run."""
    return command("run", model, device, set=set, **options)


def explain(name: str, model: Content = None, device: Content = None, set: Changes = None, **options: Option) -> Answer:
    """Explains a metric such as "mfu": its meaning, formula and source. With a model and a device, also returns the
    numbers in the formula. The answer has .lines."""
    return command("explain", name, *(() if model is None else (model, device)), set=set, **options)


def check(plans: Value, **options: Option) -> Answer:
    """Estimates the scenarios of a plan file again. The answer has .passed and .scenarios."""
    return command("check", plans, **options)


def plot(kind: str, model: Content, device: Content, set: Changes = None, **options: Option) -> Picture:
    """Draws a picture as SVG, which a notebook shows: plot("step", "gpt2", "a100")."""
    return Picture(_run("plot", (kind, model, device), {"set": set, **options}, None))


def main() -> None:
    """Runs the program `nncost` of a wheel in place of this process."""
    program = _find_program()
    os.execv(program, [program, *sys.argv[1:]])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version()
    if name == "capture":  # a separate module, because most programs do not need it
        return importlib.import_module("nncost.capture")
    instead = "nncost.sweep(models, devices, ...)" if name == "compare" else f"nncost.command({name!r}, ...)"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; other commands: {instead}")
