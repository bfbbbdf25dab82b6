#!/usr/bin/env python3
"""Tests 'nncost trace': which op each kernel of a profiler trace belongs to, gaps between kernels, overlap, and
findings.

One trace is computed by hand, and one trace is recorded (tests/data/trace). In 20 generated traces, one operator takes
three times the predicted time, and nncost must find this operator. nncost must refuse traces that are cut off at every
97th byte.

    usage: kineto.py NNCOST ROOT
"""
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.environ["NNCOST_PATH"] = root
folder = tempfile.mkdtemp()
faults = []


def check(what, good):
    if not good:
        faults.append(what)


def run(*args):
    done = subprocess.run([nncost, "trace", *args], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def event(cat, name, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}


def operator(name, ts, dur, dims, kind="c10::BFloat16"):
    return event("cpu_op", name, ts, dur, **{"Input Dims": dims, "Input type": [kind] * len(dims)})


def launch(ts, correlation):
    return event("cuda_runtime", "cudaLaunchKernel", ts, 2, correlation=correlation)


def kernel(name, ts, dur, correlation, stream=7):
    return event("kernel", name, ts, dur, tid=stream, correlation=correlation, device=0, stream=stream)


def write(name, events, **more):
    path = os.path.join(folder, name)
    opened = gzip.open(path, "wt") if name.endswith(".gz") else open(path, "w", encoding="utf-8")
    with opened as file:
        json.dump({"schemaVersion": 1, **more, "traceEvents": events}, file, indent=1)
    return path


def read(*args):
    code, out, said = run(*args, "--format", "json")
    check(f"{args}: exit {code}: {said}", code == 0)
    return json.loads(out) if code == 0 else None


# ---- a trace computed by hand: a linear layer with its product, a collective of which one half overlaps with a copy,
# and a kernel without a launch event ----

hand = [
    operator("aten::linear", 0, 50, [[4096, 4096], [4096, 4096]]),
    operator("aten::mm", 10, 30, [[4096, 4096], [4096, 4096]]),
    launch(20, 1),
    kernel("gemm", 100, 1000, 1),
    kernel("ncclDevKernel_AllReduce", 1000, 400, 2, stream=9),  # 100 us of it overlap with the product
    kernel("unknown", 2000, 200, 3),
    event("user_annotation", "ProfilerStep#3", 0, 2500),
]
for name in "hand.json", "hand.json.gz":
    found = read(write(name, hand), "a100")
    ops = {op["op"]: op for op in found["ops"]}
    check("by hand: the innermost operator has the kernel", ops["aten::mm"]["measured_s"] == 1e-3)
    check("by hand: the outer one has none", "aten::linear" not in ops)
    check("by hand: linked 1000 of 1600 us", abs(found["linked_share"] - 1000 / 1600) < 1e-12)
    check("by hand: span 100 to 2200 us", abs(found["span_s"] - 2.1e-3) < 1e-12)
    check("by hand: busy 1300 + 200 us", abs(found["busy_s"] - 1.5e-3) < 1e-12)
    check("by hand: idle 600 us", abs(found["idle_s"] - 0.6e-3) < 1e-12)
    check("by hand: 300 us of traffic beside nothing", abs(found["exposed_s"] - 0.3e-3) < 1e-12)
    check("by hand: one step", found["steps"] == 1)
    # the lower bound is 2 * 4096^3 FLOPs at 312 TFLOP/s
    check("by hand: bound", abs(ops["aten::mm"]["bound_s"] - 2 * 4096**3 / 312e12) < 1e-9)
    check("by hand: traffic is communication", ops["ncclDevKernel_AllReduce"]["class"] == "communication")

# ---- names of devices as drivers state them ----

for name, device in (("AMD Instinct MI300X VF", "mi300x"), ("AMD Instinct MI355X", "mi355x"), ("NVIDIA B300 SXM6 AC", "b300-sxm-288gb"),
                     ("NVIDIA GH200 480GB", "gh200-96gb"), ("Tesla V100-SXM2-16GB", "v100-sxm2-16gb"),
                     ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000-workstation")):
    stated = read(write("device.json", hand, deviceProperties=[{"id": 0, "name": name}]))["device"]
    check(f"{name}: {stated}", stated == device)

# ---- events of several lengths, some longer than the buffer of the reader; the program needs at most 4 MiB ----

for length in 4000, 4095, 70_000, 1_000_000, 4_000_000:
    long = [operator("aten::mm", 0, 9, [[4096, 768], [768, 4096]]) | {"id": "x" * length}, launch(1, 1),
            kernel("gemm", 10, 9000, 1)]
    check(f"event of {length} bytes", read(write("long.json", long), "h100")["ops"][0]["op"] == "aten::mm")
code, _, said = run(write("long.json", [operator("aten::mm", 0, 9, [[1]]) | {"id": "x" * (1 << 22)}]), "h100")
check(f"an event above 4 MiB: {said}", code == 3 and "too long" in said)

# ---- a product with a dimension that is not aligned ----

odd = read(write("odd.json", [operator("aten::mm", 0, 9, [[4096, 768], [768, 50257]]), launch(1, 1),
                              kernel("gemm", 10, 9000, 1)]), "h100")
check("odd side: named", "n = 50257" in odd["findings"][0]["reason"])

# ---- a finding names the dimension m as unaligned only if n is aligned; it names no dimension if the kernel's name
# says "aligned" ----

for kernel_name, side in ("s1688gemm_nn_align4", ""), ("s1688gemm_nt_align1", "m = 1953"), ("s1688gemm", ""):
    found = read(write("side.json", [operator("aten::mm", 0, 9, [[1953, 1024], [1024, 1024]], "float"), launch(1, 1),
                                     kernel(kernel_name, 10, 900, 1)]), "a100")["findings"]
    check(f"odd m, {kernel_name}: {found}", side in found[0]["reason"] and ("multiple" in found[0]["reason"]) == bool(side))
found = read(write("side.json", [operator("aten::mm", 0, 9, [[1953, 1024], [1024, 30]], "float"), launch(1, 1),
                                 kernel("s1688gemm_nn_align1", 10, 900, 1)]), "a100")["findings"]
check(f"n = 30 is the odd row: {found}", "m = " not in found[0]["reason"])
found = read(os.path.join(root, "tests/data/trace/sampled_rank-0.json.gz"), "a100")["findings"][0]
check(f"the padded time and the saving agree: {found}", "a call takes 1.329 ms, padded 815.4 us" in found["reason"] and
      abs(found["save_s"] - 2 * (1.329e-3 - 815.4e-6)) < 2e-6)

# ---- on A100 an unaligned product takes 1.5 times as long; a second kernel adds its start time ----

sides = [[8192, 8192], [8192, 8191]]
parts = {}
for name in "align4", "align1":
    one = [operator("aten::mm", 0, 9, sides, "float"), launch(1, 1),
           kernel(f"cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_{name}", 10, 9000, 1)]
    parts[name] = read(write("aligned.json", one), "a100")["ops"][0]["predicted_s"]
    parts[name, 2] = read(write("aligned.json", [*one, launch(2, 2), kernel("reduce", 9010, 5, 2)]), "a100")["ops"][0]["predicted_s"]
check(f"unaligned: {parts}", 1.45 < parts["align1"] / parts["align4"] < 1.55)
# the second kernel of a product adds the fixed time of products (fixed_s) to the predicted time
check(f"a second kernel: {parts}", abs(parts["align4", 2] - parts["align4"] - 5.08e-6) < 1e-9)
start = [read(write("start.json", [operator("aten::zero_", 0, 9, [[1]], "float"), launch(1, 1), kernel("fill", 10, 5, 1),
                                   *([launch(2, 2), kernel("fill", 20, 5, 2)] if both else [])]), "a100")["ops"][0]["predicted_s"]
         for both in (False, True)]
# the second kernel of a streaming operator adds the fixed time of streaming kernels (fixed_s) to the predicted time
check(f"a second kernel of another operator: {start}", abs(start[1] - start[0] - 3e-6) < 1e-9)

# ---- time of a sum on A100: three tensors of 64 MiB at 0.88 of 2.039 TB/s, and 3 us to start ----

moved = read(write("add.json", [operator("aten::add", 0, 9, [[4096, 8192], [4096, 8192]]), launch(1, 1), kernel("add", 10, 90, 1)]),
             "a100")["ops"][0]["predicted_s"]
check(f"a sum: {moved}", abs(moved - (3 * 2**26 / (0.88 * 2.039e12) + 3e-6)) < 1e-9)

# ---- a recorded trace ----

recorded = read(os.path.join(root, "tests/data/trace/sampled_rank-0.json.gz"), "a100")
check(f"recorded: linked {recorded['linked_share']}", recorded["linked_share"] >= 0.9)
total = sum(op["measured_s"] for op in recorded["ops"])
check("recorded: the operators sum to the kernels", abs(total - recorded["kernel_s"]) < 1e-9 * total)
parts = recorded["compute_s"] + recorded["communication_s"] + recorded["copy_s"]
check("recorded: the classes sum to the kernels", abs(parts - total) < 1e-9 * total)

# ---- calibration with the kernels of a trace: after the calibration, no group of kernels has a larger error ----

done = subprocess.run([nncost, "calibrate", os.path.join(root, "tests/data/trace/sampled_rank-0.json.gz"), "--device", "a100",
                       "--format", "json"], capture_output=True, text=True, check=False)
check(f"calibrate: {done.stderr}", done.returncode == 0)
groups = {group["name"]: group for group in json.loads(done.stdout or '{"groups": []}')["groups"]}
check(f"calibrate: {list(groups)}", groups.get("gemm tf32", {"rows": 0})["rows"] > 100)
for name, group in groups.items():
    check(f"calibrate: {name} is worse", group["after"]["mape"] <= group["before"]["mape"] + 1e-9)

# ---- advice to measure the launch time: a step of one sequence waits for the host, and no device file contains the
# launch time of its host ----

done = subprocess.run([nncost, "calibrate", os.path.join(root, "tests/data/trace/sampled_rank-0.json.gz"), "--device", "a100",
                       "--explain", "openai-community/gpt2", "--format", "json"], capture_output=True, text=True, check=False)
first = (json.loads(done.stdout or "{}").get("next") or [{}])[0]
check(f"what to measure next: {done.stderr}{first}", first.get("parameter") == "host.kernel_s" and
      abs(first["high"] / first["low"] - math.e) < 2e-3)  # spread.idle is 0.5, so the range is from e^-0.5 to e^0.5

# ---- one operator three times slower ----

random.seed(32)
named = 0
for number in range(20):
    events, slow, time, correlation = [], random.randrange(24), 0, 0
    shapes = []
    while len(shapes) < 24:
        m, n, k = (2 ** random.randint(9, 12) for _ in range(3))
        shape = ("aten::mm", [[m, k], [k, n]]) if len(shapes) % 2 == 0 else ("aten::add", [[m, 8 * n], [m, 8 * n]])
        if shape not in shapes:
            shapes.append(shape)
    base = {}
    for name, dims in shapes:
        flops = 2.0 * dims[0][0] * dims[0][1] * dims[1][1] if name == "aten::mm" else 0.0
        moved = 6.0 * dims[0][0] * dims[0][1]
        base[(name, str(dims))] = 5 + 1e6 * max(flops / 190e12, moved / 1.3e12)
    for step in range(3):
        for i, (name, dims) in enumerate(shapes):
            correlation += 1
            took = base[(name, str(dims))] * random.uniform(0.98, 1.02) * (3 if i == slow else 1)
            events += [operator(name, time, 8, dims), launch(time + 1, correlation),
                       kernel("k", time + 3, round(took, 3), correlation)]
            time += took + 10
    found = read(write("slow.json", events), "a100")
    name, dims = shapes[slow]
    at = [i for i, f in enumerate(found["findings"]) if f["op"] == name and f["dims"] == json.dumps(dims)]
    share = [op["share"] for op in found["ops"] if op["op"] == name and op["dims"] == json.dumps(dims)][0]
    times = found["findings"][at[0]]["times"] if at else 0
    good = at and (at[0] == 0 if share >= 0.05 else 2.5 <= times <= 3.5)
    named += bool(good)
    print(f"slow {number}: {name} {dims}, share {share:.3f}: place {at}, {times:.2f} times")
print(f"one operator three times slower: named in {named} of 20")
check("one operator three times slower: first from 5 % on, else 2.5 to 3.5 times, in 18 of 20", named >= 18)

# ---- products that take 0.8, 1 or 1.25 times the predicted time are no findings; a product that takes 3 times as long
# is a finding ----

events, time = [], 0
for i in range(12):
    dims = [[4096, 4096 + 512 * i], [4096 + 512 * i, 4096]]
    took = 2.0 * 4096 * (4096 + 512 * i) * 4096 / 190e6 * (3 if i == 5 else 1.25 ** (i % 3 - 1))
    events += [operator("aten::mm", time, 8, dims), launch(time + 1, i + 1), kernel("k", time + 3, round(took, 3), i + 1)]
    time += took + 10
found = read(write("usual.json", events), "a100")["findings"]
check(f"the usual error: {[(f['dims'], f['times']) for f in found]}", [f["dims"] for f in found] == ["[[4096, 6656], [6656, 4096]]"])

# ---- two traces ----

changed = read(write("a.json", hand), write("b.json", hand[:5]), "a100")
check("two traces: the kernel that is gone", changed["changes"][0]["op"] == "unknown" and
      changed["changes"][0]["change_s"] == -200e-6)

# ---- late launches: the host causes the gap that starts at 1300 us, but not the gap that starts at 100 us ----

late = read(write("late.json", [launch(0, 1), launch(5, 2), launch(1310, 3), kernel("a", 10, 90, 1), kernel("b", 150, 1150, 2),
                                kernel("c", 1320, 10, 3)]))
check(f"late: {late['idle_s']}, {late['idle_host_s']}", abs(late["idle_s"] - 70e-6) < 1e-12 and
      abs(late["idle_host_s"] - 20e-6) < 1e-12)

# ---- events of further kinds: launches of XPU, launches outside the operator, kernels without a launch ----

square = operator("aten::mm", 0, 50, [[4096, 4096], [4096, 4096]])
xpu = read(write("xpu.json", [square, event("xpu_runtime", "urEnqueueKernelLaunch", 10, 5, correlation=1),
                              kernel("gemm", 100, 1000, 1)]), "a100")
check(f"a launch of XPU: {xpu['linked_share']}", xpu["linked_share"] == 1)
square["args"]["External id"] = 5
apart = kernel("gemm", 100, 300, 1)
apart["args"]["External id"] = 5
apart = read(write("apart.json", [square, launch(90, 1), apart, kernel("b", 400, 100, 2)]), "a100")
check(f"a launch outside the operator: {apart['linked_share']}", apart["linked_share"] == 0.75)
check(f"a kernel without a launch: {apart['unlaunched_share']}", apart["unlaunched_share"] == 0.25)
old = operator("aten::mm", 0, 50, [[4096, 4096], [4096, 4096]])
old["args"]["Input dims"] = old["args"].pop("Input Dims")
old["args"]["External id"] = 7
numbered = kernel("gemm", 1100, 1000, 7)  # launched before the trace began; its External id is a correlation id
numbered["args"]["External id"] = 7
old = read(write("old.json", [old, launch(20, 1), kernel("gemm", 100, 1000, 1), numbered]), "a100")
check(f"events of PyTorch before 1.9: {old['linked_share']}", old["linked_share"] == 0.5)
none = read(write("none.json", [square, launch(20, 1), kernel("gemm", 100, 0, 1)]), "a100")
check(f"a kernel of no time: {none['kernels']}", none["kernels"] == 1)
written = write("exponent.json", [kernel("a", 1.5e15, 100, 1), kernel("b", 1.5e15 + 300, 100, 2)])
with open(written, encoding="utf-8") as file:
    text = file.read().replace("1500000000000000.0", "1.5e15")
with open(written, "w", encoding="utf-8") as file:
    file.write(text)
for name, path in ("an exponent", written), ("before the start", write("below.json", [kernel("a", -200, 100, 1),
                                                                                     kernel("b", 100, 100, 2)])):
    times = read(path)
    check(f"{name}: {times['span_s']}, {times['idle_s']}", "1.5e15" in text and times["kernels"] == 2 and
          times["span_s"] == 4e-4 and times["idle_s"] == 2e-4)
inner = "void c10d::symmetric_memory::(anonymous namespace)::one_shot_all_reduce_kernel<c10::BFloat16>"
beside = read(write("symmetric.json", [kernel(inner, 0, 50, 1), kernel("void vllm::cross_device_reduce_1stage<float, 2>", 60, 20, 2),
                                       kernel("gemm", 100, 30, 3)]))
check(f"collectives without NCCL: {beside['communication_s']}", abs(beside["communication_s"] - 70e-6) < 1e-12 and
      abs(beside["compute_s"] - 30e-6) < 1e-12)

# ---- a picture: a bar for each operator; the bar of a predicted operator has an outline and a bound ----

picture = os.path.join(folder, "hand.svg")
code, out, said = run(os.path.join(folder, "hand.json"), "a100", "--output", picture)
svg = ElementTree.parse(picture).getroot() if code == 0 else None
classes = [e.get("class", "") for e in svg.iter()] if svg is not None else []
check(f"picture: exit {code}: {said}{out}", code == 0 and out == "")
check(f"picture: bars of 3 operators, 1 of them priced: {classes}", sum(c.startswith("bar ") for c in classes) >= 3 and
      classes.count("other") == 2 and classes.count("edge") == 2)  # one mark, and one entry of the legend

# ---- several ranks: on the rank that starts last, a collective takes the shortest time; the additional time of each
# earlier rank is waiting time ----

took = ((100, 200), (50, 200), (100, 150))
ranks = [write(f"rank{i}.json", [kernel("gemm", 0, 10, 1), kernel("ncclDevKernel_AllReduce", 100, one[0], 2, stream=9),
                                 kernel("ncclDevKernel_AllReduce", 500, one[1], 3, stream=9),
                                 kernel("ncclDevKernel_SendRecv", 900, 7 * i + 7, 4, stream=9)],
               distributedInfo={"rank": i, "world_size": 3}) for i, one in enumerate(took)]
found = read(*ranks)
check(f"ranks: {found['ranks']}", [round(r["waits_s"] * 1e6) for r in found["ranks"]] == [100, 50, 50] and
      found["slowest"] == 1 and abs(found["waits_s"] - 200e-6 / 3) < 1e-12)
check("ranks: two of three kernels are compared", [r["compared"] for r in found["ranks"]] == [2, 2, 2])
uneven = [write(f"uneven{i}.json", [kernel("ncclDevKernel_AllReduce", 100 * k, 10 * k + i, k) for k in range(1 + i, 4)])
          # rank 1 did not record the first collective, and rank 2 did not record the first two, so the n-th collectives
          # of two ranks are different collectives
          for i in range(3)]
found = read(*uneven)
check(f"ranks that recorded unequal numbers of collectives: {found}", found["waits_s"] is None and found["slowest"] == -1)
check("two ranks are no comparison", [r["rank"] for r in read(*ranks[:2])["ranks"]] == [0, 1])

# ---- the operators of a step compared with the estimate of the step ----

toy = {**os.environ, "NNCOST_PATH": os.path.join(root, "tests/toy")}
steps = [*hand, event("user_annotation", "ProfilerStep#4", 2500, 9)]
done = subprocess.run([nncost, "trace", write("steps.json", steps), "fitted", "dense", "--format", "json"], env=toy,
                      capture_output=True, text=True, check=False)
parts = {p["part"]: p for p in json.loads(done.stdout or '{"parts": []}')["parts"]}
check(f"a model: {done.stderr}", set(parts) == {"step", "compute", "exposed communication", "idle"})
for side in ("measured_s", "predicted_s") if parts else ():
    whole = sum(p[side] for name, p in parts.items() if name != "step")
    check(f"a model: {side} {whole}", abs(whole - parts["step"][side]) < 1e-9)
check("a model: half of the span is a step", parts and abs(parts["step"]["measured_s"] - 1.05e-3) < 1e-12)

# ---- hostile files ----

whole = json.dumps({"traceEvents": hand})
for size in range(0, len(whole) - 1, 97):
    path = os.path.join(folder, "cut.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(whole[:size])
    code, _, said = run(path, "a100")
    check(f"cut at {size}: exit {code}", code == 3 and "cut.json" in said)
for name in "/dev/zero", folder, os.path.join(folder, "missing"):
    check(f"{name} is no trace", run(name)[0] == 4)

for fault in faults:
    print(fault)
sys.exit(bool(faults))
