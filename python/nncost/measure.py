"""Measures the machine that it runs on: python3 -m nncost.measure [--minutes 5]

Needs PyTorch. Measures matrix products, convolutions, attention, streaming kernels, optimizers and launches of the
host. The kinds of kernels are measured in turn, so that a run that ends early has some shapes of every kind. Under
torchrun, first measures collectives between the processes. Writes the rows (schema nncost.measure/1) and a device file
that nncost finds by its id, and prints a summary of the measurements. Measurements of CPUs are tested, and measurements
with CUDA and ROCm are untested; nncost.measure refuses other devices."""
import argparse
import collections
import ctypes
import datetime
import glob
import itertools
import json
import math
import mmap
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

try:
    import torch
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    torch = None  # main reports this after it has handled --help

REPEATS, LEAST_S = 5, 0.01  # a row is the median of REPEATS groups of calls; each group takes at least LEAST_S


def cpu_facts():
    """Returns name, clock and vector width in bytes of the CPU, from /proc (Linux only)."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    found = dict(re.findall(r"(?m)^(model name|cpu MHz|flags)\s*: (.*)$", text))
    flags = found.get("flags", "").split()
    width = 64 if "avx512f" in flags else 32 if "avx2" in flags else 16
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(re.search(r"MemTotal:\s+(\d+) kB", file.read()).group(1)) * 1024
    return {"name": found.get("model name", "CPU").strip(), "clock_hz": float(found.get("cpu MHz", "nan")) * 1e6,
            "vector_bytes": width, "mem_bytes": memory, "units": torch.get_num_threads(), "vendor": "cpu"}


def output_of(*command):
    """Returns the output of a program; "" if the program is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def number_in(text):
    found = re.search(r"[-+]?\d+(\.\d+)?", text)
    return float(found.group()) if found else None


THROTTLES = ((0x04, "power limit"), (0x08, "hardware"), (0x20, "temperature"), (0x40, "temperature, by hardware"),
             (0x80, "power supply"))  # bits of nvmlClocksEventReasons (NVML)


def nvidia_state():
    """Reads temperature, clock, power limit and the reasons of a lowered clock from nvidia-smi."""
    out = output_of("nvidia-smi", "--query-gpu=temperature.gpu,clocks.sm,power.limit,clocks.max.sm,"
                    "clocks_throttle_reasons.active,pcie.link.gen.current,pcie.link.width.current",
                    "--format=csv,noheader,nounits", "-i", str(torch.cuda.current_device()))
    cells = [cell.strip() for cell in out.split(",")] + [""] * 7
    mask = int(cells[4], 16) if re.fullmatch("0x[0-9a-fA-F]+", cells[4]) else 0
    state = dict(zip(("temperature_c", "clock_mhz", "power_limit_w", "clock_most_mhz"), map(number_in, cells)))
    return {**state, "throttled": [name for bit, name in THROTTLES if mask & bit],
            "pcie": [number_in(cells[5]), number_in(cells[6])]}


def amd_state():
    """Reads temperature, clock and power limit from rocm-smi, which gives no reasons of a lowered clock."""
    try:
        cards = json.loads(output_of("rocm-smi", "--showtemp", "--showgpuclocks", "--showmaxpower", "--json") or "{}")
    except ValueError:
        cards = {}
    card = cards.get(f"card{torch.cuda.current_device()}", {})

    def first(*words):
        return next((number_in(str(v).strip("()")) for k, v in card.items() if all(w in k.lower() for w in words)), None)
    return {"temperature_c": first("temperature"), "clock_mhz": first("sclk", "speed"), "power_limit_w": first("max", "power"),
            "clock_most_mhz": None, "throttled": [], "pcie": [None, None]}


def cpu_state():
    """Reads the highest temperature and the clock of the first core (Linux only)."""
    heat = []
    for zone in sorted(glob.glob("/sys/class/thermal/thermal_zone*/temp")):
        try:
            with open(zone, encoding="ascii") as file:
                heat.append(int(file.read()) / 1000)
        except (OSError, ValueError):
            continue
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        clock = re.search(r"cpu MHz\s*: ([\d.]+)", file.read())
    return {"temperature_c": max(heat, default=None), "clock_mhz": float(clock.group(1)) if clock else None, "throttled": []}


def state_of(kind):
    return cpu_state() if kind == "cpu" else nvidia_state() if torch.version.cuda else amd_state()


def cuda_facts():
    about, state = torch.cuda.get_device_properties(torch.cuda.current_device()), state_of("cuda")
    torch.zeros(1, device="cuda")
    free, total = torch.cuda.mem_get_info()
    return {"name": about.name, "clock_hz": (state["clock_most_mhz"] or math.nan) * 1e6, "mem_bytes": about.total_memory,
            "units": about.multi_processor_count, "vendor": "nvidia" if torch.version.cuda else "amd",
            "power_limit_w": state["power_limit_w"], "pcie": state["pcie"],
            # memory of the device outside of PyTorch's allocator, including the memory of other processes
            "context_bytes": total - free - torch.cuda.memory_reserved()}


def host_clock():
    """Returns a clock for this process. With one thread, the clock counts the CPU time of the calling thread, which
    excludes other programs and other threads. With several threads, the clock counts wall time. The CPU time of the
    whole process would be too long: threads of OpenBLAS spin for some milliseconds after a product, so other work
    during these milliseconds would count twice."""
    return time.thread_time if torch.get_num_threads() == 1 else time.perf_counter


class Clock:
    """Measures the time of a call in seconds, by events of the device or by the clock of the host."""

    def __init__(self, kind):
        self.cuda = kind == "cuda"
        self.read = host_clock()

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def group(self, call, count):
        if self.cuda:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(count):
                call()
            end.record()
            self.wait()
            return begin.elapsed_time(end) / 1e3
        begin = self.read()
        for _ in range(count):
            call()
        return max(self.read() - begin, 1e-9)  # the clock may be too coarse for a single call

    def row(self, call):
        for _ in range(getattr(call, "first_calls", 1)):  # the first call allocates memory and chooses a kernel
            call()
        self.wait()
        once = max(self.group(call, 1), 1e-7)
        count = max(1, math.ceil(LEAST_S / once))
        times = sorted(self.group(call, count) / count for _ in range(REPEATS))
        middle = statistics.median(times)
        return {"measured_s": middle, "spread": round((times[-1] - times[0]) / middle, 4), "calls": count * REPEATS}


# ---- what is measured ----

DTYPES = {name: getattr(torch, kind, None) for name, kind in (("fp32", "float32"), ("tf32", "float32"), ("bf16", "bfloat16"), ("fp16", "float16"))}


COLD_BYTES = 1 << 26  # two third-level caches of usual size


def in_turn(device, size, make, call):
    """Returns a function that uses other operands in each call, as in a step. On a CPU, the operands of a call are
    therefore in memory and not in the caches. make() creates a set of operands; `size` is the bytes of one set and its
    result. The result for a set is kept until the set is used again, so that the next result can use the same
    memory."""
    count = max(2, min(1000, math.ceil(COLD_BYTES / size))) if device == "cpu" else 1
    sets, kept = itertools.cycle([make() for _ in range(count)]), collections.deque(maxlen=count)

    def once():
        kept.append(call(*next(sets)))
    once.first_calls = 2 * count if device == "cpu" else 1
    return once


def product(device, dtype, m, n, k):
    def make():
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        return in_turn(device, size * (m * k + k * n + m * n), lambda: (
            torch.randn(m, k, device=device, dtype=DTYPES[dtype]), torch.randn(k, n, device=device, dtype=DTYPES[dtype])),
            torch.mm)
    size = torch.finfo(DTYPES[dtype]).bits // 8
    return {"kind": "gemm", "op": "matmul", "dtype": dtype, "m": m, "n": n, "k": k, "flops": 2 * m * n * k,
            "least_bytes": size * (m * k + k * n + m * n)}, make


def both_passes(device, size, make, forward):
    """Returns a function that runs forward for one set of operands and backward for an earlier set, as in a step."""
    pending = collections.deque()

    def both(*operands):
        pending.append((forward(*operands), operands))
        if len(pending) > turns:
            y, before = pending.popleft()
            return torch.autograd.grad(y, before, y)
        return None
    once = in_turn(device, size, make, both)
    turns = once.first_calls // 4  # half of the sets
    return once


def convolution(device, dtype, batch, channels, side, out, kernel, stride, groups, last, phase="both"):
    """phase: forward, grad_input, grad_weight, or both. The phase "both" runs forward and both gradients, as one
    forward and one backward call."""
    def make():
        torch.backends.cudnn.allow_tf32 = dtype == "tf32"
        layout = torch.channels_last if last else torch.contiguous_format

        def random(*sides):
            return torch.randn(*sides, device=device, dtype=DTYPES[dtype]).to(memory_format=layout)

        def operands():
            return (random(batch, channels, side, side).requires_grad_(phase == "both"),
                    random(out, channels // groups, kernel, kernel).requires_grad_(phase == "both"))

        def forward(x, w):
            return torch.nn.functional.conv2d(x, w, stride=stride, padding=kernel // 2, groups=groups)
        if phase == "both":
            return both_passes(device, least_bytes, operands, forward)
        if phase == "forward":
            return in_turn(device, least_bytes, operands, forward)
        wanted, pad = [phase == "grad_input", phase == "grad_weight", False], [kernel // 2] * 2
        return in_turn(device, least_bytes, lambda: (*operands(), random(batch, out, after, after)),
                       lambda x, w, g: torch.ops.aten.convolution_backward(
                           g, x, w, None, [stride] * 2, pad, [1, 1], False, [0, 0], groups, wanted))
    after, size = (side + 2 * (kernel // 2) - kernel) // stride + 1, torch.finfo(DTYPES[dtype]).bits // 8
    times = 3 if phase == "both" else 1
    least_bytes = size * (batch * (side * side * channels + after * after * out) + out * channels // groups * kernel * kernel)
    return {"kind": "conv", "op": f"conv_{phase}", "dtype": dtype, "batch": batch, "channels_in": channels, "side": side,
            "channels_out": out, "kernel_side": kernel, "stride": stride, "groups": groups, "channels_last": int(last),
            "flops": times * 2 * batch * after * after * channels // groups * out * kernel * kernel,
            "least_bytes": times * least_bytes}, make


def streaming(device, dtype, op, m, n):
    size = torch.finfo(DTYPES[dtype]).bits // 8
    passes = {"add": 3 * size, "cast": size + (2 if size == 4 else 4), "batch_norm": 8 * size}.get(op, 2 * size)

    def make():
        w = torch.ones(n, device=device, dtype=DTYPES[dtype])

        def random(*sides):
            return torch.randn(*sides, device=device, dtype=DTYPES[dtype])
        if op == "batch_norm":
            return both_passes(device, 2 * size * m * n, lambda: (random(m // 16, 16, n).requires_grad_(),),
                               lambda x: torch.nn.functional.batch_norm(x, None, None, training=True))
        call = {"copy": lambda x, y: y.copy_(x), "add": torch.add, "gelu": torch.nn.functional.gelu, "relu": torch.relu,
                "layer_norm": lambda x: torch.nn.functional.layer_norm(x, (n,), w, w), "softmax": lambda x: torch.softmax(x, -1),
                "cast": lambda x: x.to(torch.bfloat16 if size == 4 else torch.float32)}[op]
        count = 2 if op in ("copy", "add") else 1
        return in_turn(device, (count + (op != "copy")) * size * m * n, lambda: [random(m, n) for _ in range(count)], call)
    return {"kind": "stream", "op": op, "dtype": dtype, "m": m, "n": n, "least_bytes": m * n * passes}, make


def keep_memory():
    """Tells glibc to keep freed memory. With this setting, only the rows `new` use memory that the operating system has
    just allocated. By default, glibc returns some blocks to the system and keeps others, depending on earlier frees."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return  # the C library is not glibc
    mallopt(-4, 0)  # M_MMAP_MAX
    mallopt(-1, 2 ** 31 - 1)  # M_TRIM_THRESHOLD


def memory(op, count):
    """Measures writes to memory in use and to new memory from the operating system."""
    def make():
        x, own = torch.zeros(count), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        again, new = (lambda: x), (lambda: torch.frombuffer(mmap.mmap(-1, 4 * count, flags=own), dtype=x.dtype))
        where = again if op == "again" else new
        return lambda: where().fill_(1.0)
    return {"kind": "memory", "op": op, "dtype": "fp32", "n": count, "least_bytes": 4 * count}, make


def optimizer(device, name, count, tensors):
    """Measures an optimizer update of `tensors` parameters of equal size."""
    def make():
        p = [torch.nn.Parameter(torch.randn(count // tensors, device=device)) for _ in range(tensors)]
        for each in p:
            each.grad = torch.randn_like(each)
        kind = torch.optim.AdamW if name == "adamw" else torch.optim.SGD
        return kind(p, lr=1e-4, **({} if name == "adamw" else {"momentum": 0.9})).step
    return {"kind": "optimizer", "op": name, "dtype": "fp32", "n": count, "tensors": tensors,
            "least_bytes": count * 4 * (7 if name == "adamw" else 5)}, make


def attention(device, dtype, batch, seq_len, heads, kv_heads, width, causal, backward):
    """Measures attention with FlashAttention-2 only, so that the kernel of the row is known."""
    def make():
        from torch.nn.attention import SDPBackend, sdpa_kernel
        q, k, v = (torch.randn(batch, n, seq_len, width, device=device, dtype=DTYPES[dtype]).requires_grad_(backward)
                   for n in (heads, kv_heads, kv_heads))

        def forward():
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                more = {"enable_gqa": True} if heads != kv_heads else {}
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, **more)
        y = forward() if backward else None
        return (lambda: torch.autograd.grad(y, (q, k, v), y, retain_graph=True)) if backward else forward
    pairs = seq_len * (seq_len + 1) / 2 if causal else seq_len * seq_len
    return {"kind": "attention", "op": "sdp_bwd" if backward else "sdp_fwd", "dtype": dtype, "batch": batch,
            "seq_len": seq_len, "n_heads": heads, "n_kv_heads": kv_heads, "head_dim": width, "causal": int(causal),
            "kernel": "FlashAttention-2", "flops": (2.5 if backward else 1) * 4 * batch * heads * pairs * width}, make


def host_link(device, size):
    """Measures copies from pinned host memory to the device."""
    def make():
        x, y = torch.empty(size, dtype=torch.uint8).pin_memory(), torch.empty(size, dtype=torch.uint8, device=device)
        return lambda: y.copy_(x, non_blocking=True)
    return {"kind": "link", "op": "to_device", "dtype": "int8", "n": size, "least_bytes": size}, make


def launches(device, count):
    def make():
        x = torch.ones(1, device=device)

        def issue():
            for _ in range(count):
                x.add_(1.0)
        return issue
    return {"kind": "launch", "op": "add", "dtype": "fp32", "kernels": count}, make


def designed(kind, formats):
    """Returns all cases. The kinds of kernels take turns in the list, so that a run that ends early has cases of every
    kind."""
    big = kind == "cuda"
    unit = 8 if big else 1  # smaller sizes for a CPU
    lists = [[launches(kind, 100 if big else 200)] * 3]
    for dtype in formats:
        # The shapes have few or many rows, a small or large depth k, and are narrow or square, so that a fit can
        # determine the rate, the bandwidth, the start time and the effect of depth separately.
        shapes = [(128, 1024, 1024), (512, 512, 512), (1, 1024, 4096), (1024, 1024, 1024), (64, 64, 64), (256, 2048, 512),
                  (16, 1024, 1024), (512, 512, 64), (512, 128, 2048), (768, 768, 768), (32, 2048, 512), (1024, 256, 256),
                  (8, 4096, 1024), (128, 128, 128), (384, 1536, 384), (256, 256, 256), (1536, 512, 512), (4, 2048, 2048),
                  (640, 640, 160), (96, 960, 320), (1024, 64, 1024), (200, 200, 2000), (48, 1000, 512), (512, 1000, 96)]
        lists.append([product(kind, dtype, m * unit if m > 32 else m, n * unit, k * unit) for m, n, k in shapes])
    if big:
        nets = [(64, 56, 64, 3, 1, 1), (256, 14, 256, 3, 1, 1), (64, 56, 256, 1, 1, 1), (96, 56, 96, 3, 1, 96),
                (128, 28, 128, 3, 1, 1), (512, 7, 512, 3, 1, 1), (256, 56, 64, 1, 1, 1), (3, 224, 64, 7, 2, 1),
                (512, 14, 1024, 1, 1, 1), (240, 28, 240, 5, 2, 240), (128, 56, 128, 3, 2, 1), (480, 14, 80, 1, 1, 1),
                (64, 7, 64, 1, 1, 1), (384, 14, 384, 3, 1, 384), (32, 7, 64, 3, 1, 1), (32, 112, 32, 3, 1, 32),
                (128, 7, 128, 5, 1, 128), (24, 56, 96, 1, 1, 1)]
        lists.append([convolution(kind, "bf16", 32, c, side, out, k, stride, groups, last)
                      for last in (False, True) for c, side, out, k, stride, groups in nets])
    else:
        # The sides of the maps do not occur in networks for images of 224 x 224. Convolutions with groups, with few
        # channels or with kernels of one element use other kernels of the library than dense convolutions.
        nets = [(64, 52, 64, 3, 1, 1), (96, 48, 96, 3, 1, 96), (256, 13, 256, 3, 1, 1), (3, 208, 64, 7, 2, 1),
                (200, 26, 200, 5, 1, 200), (512, 8, 512, 3, 1, 1), (128, 26, 128, 3, 1, 1), (320, 13, 320, 3, 1, 320),
                (128, 52, 160, 3, 2, 1), (192, 12, 32, 3, 1, 1), (48, 104, 48, 3, 2, 48), (256, 26, 512, 1, 2, 1),
                (640, 8, 640, 5, 1, 640), (48, 96, 48, 3, 1, 1), (3, 208, 32, 3, 2, 1), (320, 8, 320, 3, 1, 1),
                (96, 26, 96, 5, 1, 1), (512, 12, 512, 3, 1, 1), (400, 12, 400, 3, 2, 400), (96, 52, 24, 3, 1, 1)]
        lists.append([convolution(kind, "fp32", 2, *net, False, phase) for net in nets
                      for phase in ("forward", "grad_input", "grad_weight") if phase != "grad_input" or net[0] > 3])
    dtype = "bf16" if big else "fp32"
    if big:
        shapes = [(4, 2048, 32, 32, 128), (16, 1024, 12, 12, 64), (1, 8192, 32, 8, 128), (8, 512, 16, 16, 64)]
        lists.append([attention(kind, "bf16", *shape, causal, backward) for shape in shapes for causal in (True, False)
                      for backward in (False, True)])
        lists.append([host_link(kind, 1 << 28), host_link(kind, 1 << 20)])
    else:
        lists.append([memory(op, 1 << 25) for op in ("again", "new") * 3])
    ops = ("copy", "gelu", "layer_norm", "softmax", "add", "relu", "batch_norm", "cast")
    lists.append([streaming(kind, dtype, op, rows * unit * unit, 1024) for rows in (7168, 2048, 256, 16) for op in ops])
    if big:
        lists.append([optimizer(kind, name, count * unit * unit, tensors) for count, tensors in ((1 << 23, 8), (1 << 20, 64))
                      for name in ("adamw", "momentum")])
    else:  # a device file has one efficiency for updates; AdamW is the most common optimizer and moves the most bytes
        lists.append([optimizer(kind, "adamw", count, tensors) for count, tensors in ((1 << 23, 8), (1 << 22, 64), (1 << 25, 2))])
    cases = []
    for i in range(max(len(group) for group in lists)):
        cases += [group[i] for group in lists if i < len(group)]
    return cases


def own_steps(place):
    """place: FILE.py:NAME. NAME() builds the user's model and returns a function that runs one training step."""
    import importlib.util
    path, name = place.rsplit(":", 1)
    spec = importlib.util.spec_from_file_location("nncost_own", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        sys.exit(f"nncost.measure: --model: {path} has no function {name}")
    return getattr(module, name)()


# ---- the run ----

class Progress:
    def __init__(self, total, seconds):
        self.total, self.seconds, self.begun = total, seconds, time.monotonic()
        self.shown = sys.stderr.isatty()

    def left(self, done):
        used = time.monotonic() - self.begun
        return min(self.seconds - used, used / done * (self.total - done)) if done else self.seconds

    def show(self, done, what):
        if self.shown:
            sys.stderr.write(f"\r\033[K{done} of {self.total} rows, {max(0, self.left(done)):.0f} s left, {what}")
            sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\r\033[K")


def name_of(row, rows):
    sizes = "x".join(str(row[k]) for k in ("m", "n", "k", "batch", "channels_in", "side", "channels_out", "kernel_side",
                                           "stride", "groups", "channels_last", "tensors", "seq_len", "n_heads",
                                           "n_kv_heads", "head_dim", "causal", "kernels") if k in row)
    name = f"{row['kind']}/{row['op']}/{row['dtype']}/{sizes}"
    same = sum(r["id"].startswith(name) for r in rows)
    return name + (f"#{same}" if same else "")


STATE_EVERY = 15  # number of rows between two readings of temperature and clock


def measure(kind, minutes, model=None, rows=()):
    """rows: rows that were measured before. Returns all rows, and a summary of the run."""
    formats = ["bf16", "fp32", "tf32", "fp16"] if kind == "cuda" else ["fp32"]
    cases, clock, rows, end = designed(kind, formats), Clock(kind), list(rows), "complete"
    before = len(rows)
    progress = Progress(len(cases) + (3 if model else 0), 60 * minutes)
    states = [state_of(kind)]
    try:
        if model:
            step = own_steps(model)
            step()
            for i in range(3):
                progress.show(len(rows) - before, "own steps")
                rows.append({"kind": "step", "id": f"own/{i}", "op": "", "dtype": "", **clock.row(step)})
        keep_memory()  # the setting must not affect the user's own steps
        for number_of, (row, make) in enumerate(cases):
            if progress.left(0) - (time.monotonic() - progress.begun) <= 0:
                end = "time is up"
                break
            name = name_of(row, rows)
            progress.show(len(rows) - before, name)
            try:
                rows.append({"id": name, **row, **clock.row(make())})
            except (RuntimeError, ImportError, AttributeError, TypeError) as error:
                # This error means that the device lacks memory or the format, or that this version of PyTorch lacks the
                # operator.
                rows.append({"id": name, **row, "measured_s": None, "reason": (str(error).splitlines() or ["failed"])[0][:120]})
            if number_of % STATE_EVERY == STATE_EVERY - 1:
                states.append(state_of(kind))
            rows[-1]["temperature_c"], rows[-1]["throttled"] = states[-1]["temperature_c"], states[-1]["throttled"]
    except KeyboardInterrupt:
        end = "interrupted"
    progress.end()
    states.append(state_of(kind))
    heat = [s["temperature_c"] for s in states if s["temperature_c"] is not None]
    clocks = [s["clock_mhz"] for s in states if s["clock_mhz"]]
    return rows, {"end": end, "planned": len(cases), "temperature_c": [min(heat), max(heat)] if heat else None,
                  "clock_mhz": [min(clocks), max(clocks)] if clocks else None,
                  "throttled": sorted({why for s in states for why in s["throttled"]})}


# ---- collectives, under torchrun ----

def world():
    """Returns rank, number of ranks, and ranks of a node, as torchrun sets them."""
    return tuple(int(os.environ.get(name, default)) for name, default in (("RANK", 0), ("WORLD_SIZE", 1),
                                                                          ("LOCAL_WORLD_SIZE", 1)))


def collective(dist, op, elements, device, group, ranks):
    """Returns a function that runs the collective once, and the bytes of the whole tensor, as nccl-tests count them."""
    part = elements // ranks
    whole = torch.ones(part * ranks, device=device, dtype=torch.float32)
    piece = torch.ones(part, device=device, dtype=torch.float32)
    pieces = list(whole.chunk(ranks))
    calls = {"all_reduce": lambda: dist.all_reduce(whole, group=group),
             "all_gather": lambda: dist.all_gather(pieces, piece, group=group),
             "reduce_scatter": lambda: dist.reduce_scatter(piece, pieces, group=group),
             "all_to_all": lambda: dist.all_to_all_single(torch.empty_like(whole), whole, group=group)}
    return calls[op], 4 * part * ranks


def timed_together(dist, clock, call, device, group):
    """Returns the seconds of the slowest rank. All ranks make the same number of calls."""
    def slowest(seconds):
        value = torch.tensor([seconds], dtype=torch.float64, device=device)
        dist.all_reduce(value, op=dist.ReduceOp.MAX, group=group)
        return float(value)
    call()
    clock.wait()
    count = min(1000, max(1, math.ceil(LEAST_S / max(slowest(clock.group(call, 2) / 2), 1e-7))))
    times = sorted(slowest(clock.group(call, count)) / count for _ in range(REPEATS))
    middle = statistics.median(times)
    return {"measured_s": middle, "spread": round((times[-1] - times[0]) / middle, 4), "calls": count * REPEATS}


def collectives(kind, minutes):
    """Returns rows of all groups: the first 2, 4, ... ranks, and all ranks. Every rank gets the same rows."""
    import torch.distributed as dist
    rank, ranks, local = world()
    if kind == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    clock, rows, end = Clock(kind), [], time.monotonic() + 60 * minutes
    clock.read = time.perf_counter  # CPU time would miss the time in which a rank waits
    sizes = [1 << p for p in ((8, 12, 16, 20, 22, 24, 26) if kind == "cuda" else (8, 12, 16, 20, 22))]
    groups = sorted({2 ** i for i in range(1, 20) if 2 ** i < ranks} | {ranks})
    try:
        for members in groups:
            group = dist.new_group(list(range(members)))
            for elements in sizes:
                for op in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
                    late = torch.tensor([time.monotonic() > end], dtype=torch.int32, device=kind)
                    dist.broadcast(late, 0)
                    if late.item():
                        raise TimeoutError
                    row = {"kind": "collective", "op": op, "dtype": "fp32", "devices": members,
                           "nodes": -(-members // local), "bytes": 4 * (elements // members) * members,
                           "id": f"collective/{op}/n{members}/{4 * elements}"}
                    if rank < members:
                        try:
                            call, _ = collective(dist, op, elements, kind, group, members)
                            rows.append({**row, **timed_together(dist, clock, call, kind, group)})
                        # this error means that the backend lacks the collective; it occurs on all ranks
                        except (RuntimeError, ValueError) as error:
                            rows.append({**row, "measured_s": None, "reason": (str(error).splitlines() or ["failed"])[0][:120]})
    except (TimeoutError, KeyboardInterrupt):
        pass  # earlier rows are kept
    if rank == 0:
        print(f"collectives of {ranks} processes: {sum(bool(r['measured_s']) for r in rows)} rows", file=sys.stderr)
    dist.destroy_process_group()
    return rows


def bus_rate(row):
    """Returns the bytes per second on the link of a rank, as nccl-tests count them."""
    n = row["devices"]
    return row["bytes"] * (n - 1) / n * (2 if row["op"] == "all_reduce" else 1) / row["measured_s"]


def links_of(rows):
    """Returns the links for the device file: the best rate, and half of the shortest time, of collectives inside a
    node; and the same for collectives between nodes. Leaves out rates that are so low that nncost would refuse them,
    such as the rates between processes on one slow machine."""
    made, least = {}, {"scale_up": 1e9, "scale_out": 1e8}
    for name, inside in (("scale_up", True), ("scale_out", False)):
        of = [r for r in rows if r["kind"] == "collective" and r["measured_s"] and (r["nodes"] == 1) == inside]
        if of and max(map(bus_rate, of)) >= least[name]:
            made[name] = {"bytes_per_s": number(max(map(bus_rate, of))), "latency_s": number(min(r["measured_s"] for r in of) / 2)}
            if inside:
                made[name] = {"kind": "switch", "devices": max(r["devices"] for r in of), **made[name]}
    return made


# ---- figures from rows ----

def best(rows, kind, figure, dtype=None, op=None):
    """Returns two rates: the highest rate, and the median of the upper half of the rates, which is the rate of large
    kernels."""
    rates = sorted(r[figure] / r["measured_s"] for r in rows if r["kind"] == kind and r["measured_s"]
                   and dtype in (None, r["dtype"]) and op in (None, r["op"]))
    return (rates[-1], statistics.median(rates[len(rates) // 2:])) if rates else (math.nan, math.nan)


def overall(rows, kind, figure, where=lambda row: True):
    """Returns the work of all rows divided by the sum of their times, which is the rate of a step with such kernels."""
    of = [r for r in rows if r["kind"] == kind and r["measured_s"] and where(r)]
    seconds = sum(r["measured_s"] for r in of)
    return sum(r[figure] for r in of) / seconds if seconds else math.nan


def number(value):
    return float(f"{value:.4g}")


def launch_seconds(rows):
    found = [r["measured_s"] / r["kernels"] for r in rows if r["kind"] == "launch" and r["measured_s"]]
    return min(found) if found else math.nan


def copy_rate(rows):
    """Returns the rate of the largest copy, which fits in no cache."""
    return max(((r["n"] * r["m"], r["least_bytes"] / r["measured_s"]) for r in rows
                if r["kind"] == "stream" and r["op"] == "copy" and r["measured_s"]), default=(0, math.nan))[1]


def new_memory_rates(rows):
    """Returns two rates of the first write to new memory, without the time of the write itself: the rate of the slowest
    row and the rate of the fastest row. The fastest row is used for the device file, because other programs only add
    time."""
    seconds = {op: sorted(r["measured_s"] for r in rows if r["kind"] == "memory" and r["op"] == op and r["measured_s"])
               for op in ("again", "new")}
    size = max((r["least_bytes"] for r in rows if r["kind"] == "memory"), default=math.nan)
    if not seconds["again"] or not seconds["new"] or seconds["new"][0] <= seconds["again"][0]:
        return math.nan, math.nan
    return tuple(size / (seconds["new"][i] - seconds["again"][0]) for i in (-1, 0))


def device_id(facts):
    return re.sub(r"[^a-z0-9]+", "-", facts["name"].lower()).strip("-")[:36] + "-here"


def device_file(facts, kind, rows, day):
    """Returns the device file. Each peak is the value of the datasheet if it can be derived, but at least the measured
    rate."""
    stream = copy_rate(rows)
    formats = sorted({r["dtype"] for r in rows if r["kind"] == "gemm" and r["measured_s"]})
    where, launch = f"measured here on {day}", number(launch_seconds(rows))
    matmul, gemm, sources = {}, {}, {"mem_bytes_per_s": f"{where}: the largest copy", "mem_bytes": "as the driver reports it",
                                     "units": "as the driver reports it"}
    sources["host.kernel_s"] = ("the device is its host: what a call takes is in fixed_s of its kernels" if kind == "cpu"
                                else f"{where}: tiny kernels, with the Python of the loop")
    derived = facts["units"] * facts["clock_hz"] * facts.get("vector_bytes", 0) / 4 * 2 * 2

    def share(kind, figure, of, select=lambda row: True):
        reached = overall(rows, kind, figure, select) / of
        return number(min(1.0, reached)) if reached > 0 else math.nan

    def ops(*names):
        return lambda row: row["op"] in names

    for dtype in formats:
        top = max((best(rows, of, "flops", dtype)[0] for of in ("gemm", "conv")), key=lambda rate: (rate == rate, rate))
        matmul[dtype] = number(max(top, derived) if derived > 0 else top)
        sources[f"matmul_flops_per_s.{dtype}"] = (
            "derived: cores x clock x two units of multiply and add" if matmul[dtype] == number(derived)
            else f"{where}: the fastest product or convolution")
        gemm[dtype] = {"sustained_fraction": share("gemm", "flops", matmul[dtype], lambda r: r["dtype"] == dtype and r["m"] > 32),
                       "memory_fraction": share("gemm", "least_bytes", stream, lambda r: r["dtype"] == dtype and r["m"] <= 8),
                       "fixed_s": launch if kind == "cpu" else 5e-6, "fitted_on": where}
    base = matmul.get("bf16" if kind == "cuda" else "fp32", math.nan)
    fixed = launch if kind == "cpu" else 3e-6
    def by_channel(row):  # on a CPU, oneDNN has no vector kernel for these convolutions
        return kind == "cpu" and row["op"] == "conv_grad_weight" and row["groups"] > 1 and row["kernel_side"] > 3

    def apart(row):
        return row["groups"] > 1 and not by_channel(row)

    def dense(row):
        return row["groups"] == 1 and not row["channels_last"]
    # most: size of the largest update, which does not fit in the caches
    most = max((r["n"] for r in rows if r["kind"] == "optimizer"), default=0)
    efficiency = {
        "gemm": gemm,
        "pointwise": {"memory_fraction": share("stream", "least_bytes", stream, ops("gelu", "layer_norm", "softmax"))},
        "maps": {"memory_fraction": share("stream", "least_bytes", stream, ops("relu", "add", "batch_norm"))},
        "stream": {"memory_fraction": share("stream", "least_bytes", stream, ops("relu", "add", "gelu")),
                   "mixed_fraction": share("stream", "least_bytes", stream, ops("cast")),
                   "norm_fraction": share("stream", "least_bytes", stream, ops("layer_norm")), "norm_row_s": 0.0,
                   "norm_row_backward_s": 0.0,
                   "softmax_fraction": share("stream", "least_bytes", stream, ops("softmax")),
                   "loss_fraction": share("stream", "least_bytes", stream, ops("softmax")),
                   "adamw_fraction": share("optimizer", "least_bytes", stream, ops("adamw"))},
        "optimizer": {"memory_fraction": share("optimizer", "least_bytes", stream, lambda r: r["op"] == "adamw" and r["n"] == most)},
        "conv": {"sustained_fraction": share("conv", "flops", base, dense),
                 # On a CPU, operands and result of a convolution are copied to another layout, so each of them passes
                 # through memory three times.
                 "memory_fraction": share("conv", "least_bytes", stream / (3 if kind == "cpu" else 1), apart),
                 "library_channel_fraction": share("conv", "flops", base, by_channel)}}
    if math.isnan(efficiency["conv"]["library_channel_fraction"]):
        del efficiency["conv"]["library_channel_fraction"]
    for name, figures in list(efficiency.items()):
        if name != "gemm":
            efficiency[name] = {k: v for k, v in figures.items() if not math.isnan(v)} | {"fixed_s": fixed, "fitted_on": where}
        if name != "gemm" and name != "stream" and any(math.isnan(v) for v in figures.values()):
            del efficiency[name]  # too few rows were measured for this object
    efficiency["gemm"] = {dtype: figures for dtype, figures in gemm.items()
                          if not any(isinstance(v, float) and math.isnan(v) for v in figures.values())}
    efficiency = {"basis": "kernels", **efficiency}
    made = {"schema": "nncost.device/1", "id": device_id(facts), "name": f"{facts['name'][:50]}, {where}",
            "vendor": facts["vendor"], "units": facts["units"], "clock_hz": facts["clock_hz"], "matmul_flops_per_s": matmul,
            "vector_flops_per_s": {"fp32": matmul.get("fp32", base)}, "mem_bytes": facts["mem_bytes"],
            "mem_bytes_per_s": number(stream),
            "host": {"kernel_s": 0.0 if kind == "cpu" else launch}, "efficiency": efficiency, "sources": sources}
    link = max((r["least_bytes"] / r["measured_s"] for r in rows if r["kind"] == "link" and r["measured_s"]), default=None)
    if link:
        made["host"]["bytes_per_s"] = number(link)
        sources["host.bytes_per_s"] = f"{where}: copies from pinned memory"
    slow, new = new_memory_rates(rows)
    if not math.isnan(new):
        made["host"]["new_bytes_per_s"] = number(new)
        sources["host.new_bytes_per_s"] = (f"{where}: writes to memory that the system has just given, "
                                           f"{slow / 1e9:.4g} to {new / 1e9:.4g} GB/s")
    for name, figures in links_of(rows).items():
        made[name] = figures
        sources[name] = f"{where}: the fastest collective, and half of the shortest"
    return {k: v for k, v in made.items() if not (isinstance(v, float) and math.isnan(v))}


def page(facts, rows, device, run):
    timed = [r for r in rows if r["measured_s"] and r["kind"] not in ("collective", "step")]
    print(f"device    {device['name']}, {facts['units']} unit{'s' * (facts['units'] != 1)}, {facts['mem_bytes'] / 1e9:.1f} GB")
    print(f"rows      {len(timed)} of {run['planned']} measured, {run['end']}; median spread "
          f"{100 * statistics.median(r['spread'] for r in timed):.1f} %" if timed else "rows      none")
    for dtype, peak in device["matmul_flops_per_s"].items():
        top, usual = best(rows, "gemm", "flops", dtype)
        print(f"{dtype:9} products reach {top / 1e12:.4g} TFLOP/s, usually {usual / 1e12:.4g}; peak {peak / 1e12:.4g}")
    for kind, figure, unit, scale in (("conv", "flops", "TFLOP/s", 1e12), ("stream", "least_bytes", "GB/s", 1e9),
                                      ("optimizer", "least_bytes", "GB/s", 1e9)):
        for op in sorted({r["op"] for r in timed if r["kind"] == kind}):
            top, usual = best(rows, kind, figure, op=op)
            print(f"{kind:9} {op} reaches {top / scale:.4g} {unit}, usually {usual / scale:.4g}")
    print(f"launch    {1e6 * launch_seconds(rows):.3g} us a kernel")
    slow, new = new_memory_rates(rows)
    if not math.isnan(new):
        print(f"memory    new pages are written at {slow / 1e9:.4g} to {new / 1e9:.4g} GB/s, "
              f"{1e6 * mmap.PAGESIZE / new:.3g} us a page of {mmap.PAGESIZE} bytes")
    for op in sorted({r["op"] for r in rows if r["kind"] == "collective" and r["measured_s"]}):
        of = [r for r in rows if r["op"] == op and r["measured_s"]]
        print(f"{op} of {max(r['devices'] for r in of)}: {max(map(bus_rate, of)) / 1e9:.4g} GB/s of bus, at least "
              f"{1e6 * min(r['measured_s'] for r in of):.3g} us")
    for name, figures in links_of(rows).items():
        print(f"{name:9} {figures['bytes_per_s'] / 1e9:.4g} GB/s, {1e6 * figures['latency_s']:.3g} us")
    if facts.get("context_bytes"):
        print(f"context   {facts['context_bytes'] / 1e6:.0f} MB of device memory next to the allocator")
    for what, unit in (("temperature_c", "C"), ("clock_mhz", "MHz")):
        if run.get(what):
            print(f"{what.split('_')[0]:<9} {run[what][0]:.0f} to {run[what][1]:.0f} {unit}")
    if run["throttled"]:
        print(f"throttled by {', '.join(run['throttled'])}: the rows are of a slower clock than the device could have")
    for name, sheet, here in against_datasheet(facts, device):
        print(f"datasheet {name} {sheet:.4g}, measured {here:.4g}: {100 * here / sheet:.1f} %")


def against_datasheet(facts, device):
    """Returns rates of the shipped device with this name next to the measured rates. Returns nothing if the program or
    the device is missing."""
    program = os.environ.get("NNCOST_PROGRAM") or shutil.which("nncost")
    out = output_of(program, "show", facts["name"], "--format", "json") if program and device["vendor"] != "cpu" else ""
    sheet = {f["field"]: f["value"] for f in json.loads(out or '{"fields": []}')["fields"]}
    here = {f"matmul_flops_per_s.{k}": v for k, v in device["matmul_flops_per_s"].items()}
    here.update(mem_bytes_per_s=device["mem_bytes_per_s"], mem_bytes=device["mem_bytes"], units=device["units"])
    return [(name, sheet[name], value) for name, value in here.items() if sheet.get(name)]


def write(path, made):
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(made, file, indent=1)
        file.write("\n")
    os.replace(path + ".part", path)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m nncost.measure", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="time limit; the rows measured until then are kept (5)")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="the device to measure (cuda if there is one)")
    parser.add_argument("--model", metavar="FILE.py:NAME", help="measure three steps of this program too: NAME() returns a function that runs one step")
    parser.add_argument("-o", "--output", default="measure.json", help="file of the measured rows (measure.json)")
    parser.add_argument("--config", help="folder of the device file; default: hw of nncost's own configuration")
    given = parser.parse_args(arguments)
    if torch is None:
        sys.exit(f"nncost.measure: PyTorch is missing for {sys.executable}: install Debian's python3-torch, or 'pip install torch'")
    kind = given.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if not given.minutes > 0:
        parser.error("--minutes: expected more than 0")
    if given.model and not (":" in given.model and os.path.isfile(given.model.rsplit(":", 1)[0])):
        parser.error(f"--model: expected FILE.py:NAME with an existing file, found {given.model}")
    if kind == "cuda" and not torch.cuda.is_available():
        parser.error("--device: PyTorch sees no CUDA device")
    begun = datetime.datetime.now().astimezone()
    rank, ranks, _ = world()
    rows = collectives(kind, given.minutes / 2) if ranks > 1 else []
    if rank > 0:
        return 0
    facts = cuda_facts() if kind == "cuda" else cpu_facts()
    rows, run = measure(kind, given.minutes / (2 if rows else 1), given.model, rows)
    enough = any(r["measured_s"] and r["kind"] == "gemm" for r in rows) and copy_rate(rows) > 0
    for row in rows:
        row["device"] = device_id(facts)
    stated = {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in facts.items()}
    launch = launch_seconds(rows)
    write(given.output, {"schema": "nncost.measure/1", "date": begun.isoformat(timespec="seconds"), "kind": kind,
                         "device": device_id(facts), "torch": torch.__version__, "facts": stated, "run": run,
                         "launch_s": None if math.isnan(launch) else launch, "rows": rows})
    if not enough:
        sys.exit(f"nncost.measure: written {given.output}, but too little was measured for a device file, expected a matrix "
                 "product and a copy")
    device = device_file(facts, kind, rows, begun.date().isoformat())
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    place = os.path.join(given.config or os.path.join(base, "nncost", "hw"), device["id"] + ".json")
    write(place, device)
    page(stated, rows, device, run)
    print(f"written   {given.output}, {place}\nnext      nncost estimate MODEL .\n"
          f"          nncost calibrate {given.output} --output mine.json; nncost estimate MODEL ./mine.json")
    return 130 if run["end"] == "interrupted" else 0


if __name__ == "__main__":
    sys.exit(main())
