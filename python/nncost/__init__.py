"""nncost from Python: one file, no build, over the shared library.

    import nncost
    answer = nncost.estimate("llama3-8b", "h100", devices=8, zero=3, recompute="full")
    answer["step"]["step_s"], answer["memory"]["fits"]

Options are those of `nncost estimate`, with '_' for '-'; values may have units ("8k", "2GiB"). `set` changes any
parameter of the model or the device: set={"device.mem_bytes_per_s": "4TB/s"}. What is refused is an nncost.Error.
The library is found as $NNCOST_LIBRARY, beside this file's installation, or where the system looks; the data as
$NNCOST_DATA or beside the library; $NNCOST_PATH adds folders of your own.
"""
import ctypes
import ctypes.util
import difflib
import json
import os
from pathlib import Path

__all__ = ["Error", "Specs", "estimate", "devices", "models", "software", "version"]

_DEVICE, _MODEL, _SOFTWARE = range(3)


class Error(ValueError):
    """What was refused: .where and .what, as the command prints them."""

    def __init__(self, where, what):
        super().__init__(f"{where}: {what}")
        self.where, self.what = where, what


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("where", ctypes.c_char * 512), ("what", ctypes.c_char * 512)]


class _Plan(ctypes.Structure):  # NNC_PLAN_ROOM; its members are set by name
    _fields_ = [("room", ctypes.c_uint64 * 64)]


def _find_library():
    asked = os.environ.get("NNCOST_LIBRARY")
    if asked:
        return asked
    for parent in Path(__file__).resolve().parents:
        for pattern in ("lib/libnncost.so*", "lib/*/libnncost.so*") if (parent / "share/nncost").is_dir() else ():
            for found in sorted(parent.glob(pattern)):
                return str(found)
    return ctypes.util.find_library("nncost") or "libnncost.so"


def _find_data(library):
    asked = os.environ.get("NNCOST_DATA")
    if asked:
        return asked
    for parent in [*Path(library).resolve().parents, Path("/usr"), Path("/usr/local")]:
        if (parent / "share/nncost/hw").is_dir():
            return str(parent / "share/nncost")
    return None


def _load():
    library = ctypes.CDLL(_find_library())
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


def _text(value):
    if isinstance(value, bool):
        return b"on" if value else b"off"
    return str(value).encode()


class Specs:
    """Devices, models and software profiles, read once and kept. Of one thread at a time."""

    def __init__(self, data=None):
        self._library = _load()
        data = data or _find_data(self._library._name)
        self._specs = self._library.nnc_specs_open(os.fsencode(data) if data else None)
        self._scratch = self._library.nnc_scratch_create()
        if not self._specs or not self._scratch:
            raise MemoryError("nncost")

    def __del__(self):
        if getattr(self, "_scratch", None):
            self._library.nnc_scratch_destroy(self._scratch)
        if getattr(self, "_specs", None):
            self._library.nnc_specs_close(self._specs)

    def _call(self, function, *arguments):
        err = _Error()
        if getattr(self._library, function)(*arguments, ctypes.byref(err)) != 0:
            raise Error(err.where.decode(), err.what.decode())

    def _get(self, function, *arguments):
        found = ctypes.c_void_p()
        self._call(function, self._specs, *arguments, ctypes.byref(found))
        return found

    def estimate(self, model, device, software=None, set=None, **options):
        """One training step, as a dict: what `nncost estimate --format json` prints."""
        found = {"model": self._get("nnc_model_load", _text(model)),
                 "device": self._get("nnc_device_load", _text(device))}
        for name, value in (set or {}).items():
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
            return json.loads(ctypes.string_at(text.value, size.value))
        finally:
            self._library.nnc_text_free(text)

    def _ids(self, kind):
        ids, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_int32()
        self._call("nnc_specs_list", self._specs, kind, ctypes.byref(ids), ctypes.byref(count))
        return [ids[i].decode() for i in range(count.value)]

    def devices(self):
        return self._ids(_DEVICE)

    def models(self):
        return self._ids(_MODEL)

    def software(self):
        return self._ids(_SOFTWARE)

    def version(self):
        return self._library.nnc_version().decode()


_shared = None


def _specs():
    global _shared
    _shared = _shared or Specs()
    return _shared


def estimate(model, device, software=None, set=None, **options):
    return _specs().estimate(model, device, software, set, **options)


def devices():
    return _specs().devices()


def models():
    return _specs().models()


def software():
    return _specs().software()


def version():
    return _specs().version()


estimate.__doc__ = Specs.estimate.__doc__
