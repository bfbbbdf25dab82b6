#!/usr/bin/env python3
"""Measures training steps on this machine's CPU with nncost.measure and runs 'nncost calibrate' on the measured rows.
With the fitted device file, predicts steps of networks that were not measured.

    usage: measured_here.py PROGRAM ROOT              tests that all commands work, without comparing times
           measured_here.py PROGRAM ROOT --bench N    prints the prediction errors of N runs, before and after
                                                      calibration
           measured_here.py PROGRAM ROOT --pages      prints new bytes of steps, counted by nncost and by page faults
           measured_here.py PROGRAM ROOT --convolution SIDE    backward of one convolution, for strace: docs/measure.md

Before calibration, the rates in the device file follow from the number of cores, the clock, the vector width and
measured copies. The efficiencies in the file before calibration are the efficiencies that hw/ assumes for CPUs. The
test is skipped if PyTorch or torchvision is missing (tools/setup capture).
"""
import importlib.util
import json
import math
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if importlib.util.find_spec("torch") is None and sys.executable != "/usr/bin/python3" and Path("/usr/lib/python3/dist-packages/torch").is_dir():
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # another Python comes first in the path
if importlib.util.find_spec("torch") is None or importlib.util.find_spec("torchvision") is None:
    print("skipped: no PyTorch or no torchvision (tools/setup capture)")
    sys.exit(77)

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])
NETWORKS = (("resnet-50", "resnet50", 2), ("vgg-16", "vgg16", 1), ("mobilenet-v3-large", "mobilenet_v3_large", 4),
            ("efficientnet-b0", "efficientnet_b0", 2), ("densenet-121", "densenet121", 2), ("vit-b-16", "vit_b_16", 1))


def nncost(*arguments, config):
    run = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                         env={**os.environ, "XDG_CONFIG_HOME": str(config)})
    assert run.returncode in (0, 1), (arguments, run.stderr)
    return run.stdout


def measure(folder, *arguments):
    run = subprocess.Popen([sys.executable, "-m", "nncost.measure", "--device", "cpu", "--output", folder / "measure.json",
                            *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                                "XDG_CONFIG_HOME": str(folder)})
    out, err = run.communicate(timeout=600)
    return run.returncode, out, err


def ends_early():
    """A run that ends before the first product writes its rows as JSON without NaN, and writes no device file."""
    def refuse(constant):
        raise AssertionError(constant)

    with tempfile.TemporaryDirectory() as name:
        code, _, err = measure(Path(name), "--minutes", "0.0001")
        made = json.loads((Path(name) / "measure.json").read_text(), parse_constant=refuse)
        assert code == 1 and "too little was measured" in err and made["device"].endswith("-here"), (code, err)
        assert [path.name for path in Path(name).rglob("*.json")] == ["measure.json"], err


def check_rows(folder, complete):
    made = json.loads((folder / "measure.json").read_text())
    assert made["schema"] == "nncost.measure/1" and made["kind"] == "cpu"
    assert (made["run"]["end"] == "complete") == complete, made["run"]
    rows = [r for r in made["rows"] if r["measured_s"]]
    assert {"gemm", "conv", "stream", "optimizer", "launch"} <= {r["kind"] for r in rows}
    assert len({r["id"] for r in rows}) == len(rows)
    for r in rows:
        assert r["measured_s"] > 0 and r["spread"] >= 0 and r["calls"] >= 5, r
        assert r.get("flops", 0) / r["measured_s"] < 1e14, r  # fails if the clock has wrong units
    return made


def pipeline():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own = folder / "own.py"
        own.write_text("import torch\ndef make():\n    x = torch.ones(64, 64)\n    return lambda: x @ x\n")
        code, out, err = measure(folder, "--minutes", "6", "--model", f"{own}:make")
        assert code == 0 and "measured here on" in out, (code, out, err)
        made = check_rows(folder, complete=True)
        assert sum(r["kind"] == "step" for r in made["rows"]) == 3
        fitted = json.loads(nncost("calibrate", folder / "measure.json", "--device", made["device"], "--format", "json",
                                   "--output", folder / "mine.json", config=folder))
        figures = {f["name"]: f for f in fitted["figures"] if f["reason"] is None}
        rate = figures["efficiency.gemm.fp32.sustained_fraction"]
        assert {"efficiency.conv.sustained_fraction", "efficiency.stream.memory_fraction",
                "efficiency.maps.memory_fraction", "efficiency.optimizer.memory_fraction"} <= figures.keys(), figures.keys()
        assert rate["of"] == "gemm fp32" and rate["rows"] == 24 and rate["low"] <= rate["after"] <= rate["high"], rate
        here = json.loads(nncost("estimate", "resnet-50", ".", "--precision", "fp32", "--format", "json", config=folder))
        assert "measured here on" in here["device"]["name"] and here["step"]["step_s"] > 0
        host = json.loads((folder / f"nncost/hw/{made['device']}.json").read_text())["host"]
        assert host["kernel_s"] == 0, "a CPU has no host"
        assert 1e7 < host["new_bytes_per_s"] < 1e12, host
        assert json.loads((folder / "mine.json").read_text())["host"] == host, "calibrate keeps it"
        nncost("estimate", "resnet-50", folder / "mine.json", "--precision", "fp32", config=folder)
        own.write_text("import _thread, threading, time\n"  # simulates Ctrl-C after three seconds of CPU time
                       "def interrupt():\n    end = time.process_time() + 3\n"
                       "    while time.process_time() < end:\n        time.sleep(0.05)\n    _thread.interrupt_main()\n"
                       "def make():\n    threading.Thread(target=interrupt, daemon=True).start()\n    return lambda: None\n")
        code, out, err = measure(folder, "--minutes", "2", "--model", f"{own}:make")
        assert code == 130, (code, out, err)
        check_rows(folder, complete=False)
    together()
    new_memory()
    unseen()
    print(f"{len(made['rows'])} rows, {len(figures)} parameters fitted")


def new_memory():
    """In the example, writing 4 MB takes 1 ms in memory that is already in use, and 3 ms in new memory. The first write
    to new memory takes 2 ms more than a later write, which is a rate of 2 GB/s. In the slowest row of the example, the
    first write takes 3 ms more than a later write."""
    sys.path.insert(0, str(ROOT / "python"))
    from nncost.measure import new_memory_rates
    rows = [{"kind": "memory", "op": op, "measured_s": s, "least_bytes": 4e6}
            for op, s in (("again", 0.0015), ("new", 0.003), ("again", 0.001), ("new", 0.004), ("new", None))]
    slow, fast = new_memory_rates(rows)
    assert abs(slow - 4e6 / 0.003) < 1 and abs(fast - 2e9) < 1, (slow, fast)
    assert math.isnan(new_memory_rates(rows[:1])[1]) and math.isnan(new_memory_rates([])[1])


def together():
    """Runs two processes, as torchrun does. Rank 0 also writes rows of collectives."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as free:
        folder = Path(name)
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
        free.close()
        ranks = [subprocess.Popen([sys.executable, "-m", "nncost.measure", "--device", "cpu", "--minutes", "0.4", "--output",
                                   folder / "measure.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                                       "XDG_CONFIG_HOME": str(folder), "RANK": str(rank), "LOCAL_RANK": str(rank),
                                       "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                                       "MASTER_PORT": port}) for rank in (0, 1)]
        said = [rank.communicate(timeout=300) for rank in ranks]
        assert [rank.returncode for rank in ranks] == [0, 0], said
        rows = [r for r in json.loads((folder / "measure.json").read_text())["rows"] if r["kind"] == "collective"]
        timed = [r for r in rows if r["measured_s"]]
        assert timed and all(r["devices"] == 2 and r["nodes"] == 1 and r["bytes"] > 0 for r in rows), rows
        assert all(r["measured_s"] or r["reason"] for r in rows), rows
        assert "all_reduce" in {r["op"] for r in timed}, rows


WARM_UP, STEPS, PROCESSES = 3, 6, 3


def print_steps(name, batch):
    """Prints the seconds, and the bytes of new memory, of the steps after warm-up, as JSON."""
    import torch
    import torchvision
    sys.path.insert(0, str(ROOT / "python"))
    from nncost.measure import host_clock
    torch.manual_seed(0)
    network = getattr(torchvision.models, name)()
    optimizer = torch.optim.AdamW(network.parameters())
    images, labels = torch.randn(batch, 3, 224, 224), torch.randint(0, 1000, (batch,))
    times, pages = [], []
    clock = host_clock()
    for _ in range(WARM_UP + STEPS):
        begin, before = clock(), resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(network(images), labels).backward()
        optimizer.step()
        times.append(clock() - begin)
        pages.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    new_bytes = [resource.getpagesize() * count for count in pages]
    print(json.dumps({"seconds": times[WARM_UP:], "new_bytes": new_bytes[WARM_UP:]}))


def steps_of(name, batch):
    """Returns three medians over three processes: the median step time, the relative difference between the medians of
    even and odd steps, and the mean number of new bytes per step. Each network runs in a separate process, because
    memory that another network freed changes which memory glibc returns to the system. Each network runs in three
    processes, because a small object at the end of the heap, which is there by chance, also changes which memory glibc
    returns."""
    seconds, apart, new_bytes = [], [], []
    for _ in range(PROCESSES):
        run = subprocess.run([sys.executable, __file__, PROGRAM, ROOT, "--steps", name, str(batch)], capture_output=True,
                             text=True, check=True)
        made = json.loads(run.stdout)
        even, odd = (statistics.median(made["seconds"][i::2]) for i in (0, 1))
        seconds.append(statistics.median(made["seconds"]))
        apart.append(abs(even / odd - 1))
        new_bytes.append(statistics.mean(made["new_bytes"]))
    return [statistics.median(values) for values in (seconds, apart, new_bytes)]


def pages():
    """Compares the new bytes of a step in the estimate with the new bytes measured by page faults. Page faults do not
    depend on the load that further programs put on the machine. The device file states a rate of 1 B/ns for new memory,
    so the estimate adds one nanosecond per new byte."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        device = json.loads((ROOT / "hw/epyc-9654.json").read_text())
        device.update(id="pages", sources={**device["sources"], "host.kernel_s": "assumed", "host.new_bytes_per_s": "assumed"})
        device.pop("aliases", None)
        for network, function, batch in (*NETWORKS, *((n, f, 2 * b) for n, f, b in NETWORKS)):
            update = []
            for host in ({}, {"new_bytes_per_s": 1e9}):
                (folder / "pages.json").write_text(json.dumps({**device, "host": {"kernel_s": 0, **host}}))
                answer = nncost("estimate", network, folder / "pages.json", "--precision", "fp32", "--software", "torch-eager",
                                "--micro-batch", batch, "--clip-gradients=off", "--format", "json", config=folder)
                update.append(json.loads(answer)["step"]["step_s"])
            counted, found = 1e9 * (update[1] - update[0]), steps_of(function, batch)[2]
            print(f"{network:18} batch {batch} counted {counted / 1e6:5.0f} MB, measured {found / 1e6:5.0f} MB, "
                  f"ratio {counted / max(found, 1):.2f}", flush=True)


def bare_device(made, folder):
    """Writes a device file with datasheet rates. Only the bandwidth of copies is a measured value."""
    device = json.loads(next((folder / "nncost/hw").glob("*-here.json")).read_text())
    usual = json.loads((ROOT / "hw/epyc-9654.json").read_text())["efficiency"]
    facts = made["facts"]
    peak = facts["units"] * facts["clock_hz"] * facts["vector_bytes"]
    usual = json.loads(json.dumps(usual).replace("@usual", "assumed"))
    device.update(id="bare", efficiency=usual, matmul_flops_per_s={"fp32": peak}, vector_flops_per_s={"fp32": peak})
    device["sources"]["matmul_flops_per_s.fp32"] = "derived: cores x clock x two units of multiply and add"
    for part, name in ((device["host"], "new_bytes_per_s"), (device["sources"], "host.new_bytes_per_s")):
        part.pop(name, None)
    path = folder / "bare.json"
    path.write_text(json.dumps(device))
    return path


def bench(runs):
    import torch
    for number in range(runs):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            measure(folder, "--minutes", "6")
            made = check_rows(folder, complete=True)
            nncost("calibrate", folder / "measure.json", "--device", made["device"], "--output", folder / "mine.json",
                   config=folder)
            devices = {"assumed": bare_device(made, folder), "measured": ".", "calibrated": folder / "mine.json"}
            errors, noise = {what: [] for what in devices}, []
            for network, function, batch in NETWORKS:
                seconds, apart, new_bytes = steps_of(function, batch)
                noise.append(apart)
                line = f"{network:18} batch {batch} {seconds:7.3f} s, twice {100 * apart:4.1f} %, {new_bytes / 1e6:5.0f} MB new"
                for what, device in devices.items():
                    answer = json.loads(nncost("estimate", network, device, "--precision", "fp32", "--software", "torch-eager",
                                               "--micro-batch", batch, "--clip-gradients=off", "--format", "json",
                                               config=folder))
                    errors[what].append(answer["step"]["step_s"] / seconds - 1)
                    line += f"  {what} {100 * errors[what][-1]:+6.1f} %"
                print(line, flush=True)
            print(f"run {number + 1}: " + ", ".join(f"{what} {100 * statistics.median(map(abs, e)):.1f} %"
                                                  for what, e in errors.items())
                  + f" in the median of |error|; two timings of a step differ by {100 * statistics.median(noise):.1f} %; "
                  f"{torch.get_num_threads()} threads", flush=True)


def shapes_of(function):
    """Returns the convolutions of a network (channels in, side, channels out, kernel, stride, groups) and its matrix
    products (m, n, k). Convolutions with one tap count as matrix products."""
    import torch
    import torchvision
    network, found = getattr(torchvision.models, function)().eval(), set()

    def note(module, inputs, result):
        if isinstance(module, torch.nn.Conv2d):
            side = inputs[0].shape[-1]
            found.add((module.in_channels, side, module.out_channels, module.kernel_size[0], module.stride[0], module.groups))
            found.add((module.out_channels, result.shape[-1] ** 2, module.in_channels))
        else:
            found.add((inputs[0].numel() // module.in_features, module.out_features, module.in_features))
    for module in network.modules():
        if isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
            module.register_forward_hook(note)
    with torch.no_grad():
        network(torch.zeros(1, 3, 224, 224))
    return found


def unseen():
    """Tests that no measured kernel has the same sizes as a kernel of the networks whose steps are compared."""
    sys.path.insert(0, str(ROOT / "python"))
    from nncost.measure import designed
    rows = [row for row, _ in designed("cpu", ["fp32"])]
    measured = {tuple(r[k] for k in ("channels_in", "side", "channels_out", "kernel_side", "stride", "groups"))
                for r in rows if r["kind"] == "conv"} | {(r["m"], r["n"], r["k"]) for r in rows if r["kind"] == "gemm"}
    for network, function, _ in NETWORKS:
        assert not shapes_of(function) & measured, (network, shapes_of(function) & measured)
    assert len(measured) > 40, len(measured)


def convolution(side):
    """Runs backward of a convolution on one image of 224 x 224, four times. The convolution has 768 output channels;
    its kernel and its stride have the given side."""
    import torch
    net = torch.nn.Conv2d(3, 768, side, stride=side)
    for _ in range(4):
        net.zero_grad()
        net(torch.zeros(1, 3, 224, 224)).sum().backward()


if "--steps" in sys.argv:
    print_steps(sys.argv[4], int(sys.argv[5]))
elif "--convolution" in sys.argv:
    convolution(int(sys.argv[sys.argv.index("--convolution") + 1]))
elif "--pages" in sys.argv:
    pages()
elif "--bench" in sys.argv:
    bench(int(sys.argv[sys.argv.index("--bench") + 1]))
else:
    ends_early()
    pipeline()
