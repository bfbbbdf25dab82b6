#!/usr/bin/env python3
"""false_alarms.py NNCOST SOURCE: counts alarms of 'nncost watch' for published training runs, which had no known fault.

Writes every tenth published step time as a log file in the format of a training program. nncost must read this time
from the log, rounded as the format rounds it. 'nncost watch' raises an alarm if the time is outside the 90 % range of
the prediction; at most 10 % of the logs may raise an alarm."""
import json
import os
import subprocess
import sys
import tempfile

GIB = 1 << 30
FORMATS = (  # the plan has a batch of 1 and 1,000 tokens on one device
    ("Megatron-LM", lambda k, s: f" iteration {k:8d}/     100 | consumed samples: {k:12d} | elapsed time per iteration "
                                 f"(ms): {1000 * s:.1f} | learning rate: 1.000E-05 |\n"),
    ("NeMo", lambda k, s: f"Training epoch 0, iteration {k}/99 | lr: 3e-05 | global_step: {k} | reduced_train_loss: "
                          f"1.23 | train_step_timing in s: {s:.4g} | consumed_samples: {k}\n"),
    ("torchtitan", lambda k, s: f"[titan] - root - INFO - \x1b[31mstep: {k:2}  \x1b[32mloss:  7.1234  \x1b[38;2;54;234;"
                                f"195mmemory: 42.50GiB(53.10%)  \x1b[34mtps: {round(1000 / s):,}  \x1b[36mtflops: "
                                f"1,123.45  \x1b[35mmfu: 45.10%\x1b[39m\n"),
    ("HF Trainer", lambda k, s: f"\r {k:2d}%|###       | {k}/100 [00:10<01:00, "
                                + (f"{s:5.2f}s/it]" if s >= 1 else f"{1 / s:5.2f}it/s]")),
    ("DeepSpeed", lambda k, s: f"[2026-01-10 10:00:00,000] [INFO] [timer.py:264:stop] epoch=0/micro_step={k}/"
                               f"global_step={k}, RunningAvgSamplesPerSec={1 / s}, CurrSamplesPerSec={1 / s}, "
                               f"MemAllocated=3.1GB, MaxMemAllocated=40.25GB\n"),
    ("MaxText", lambda k, s: f"completed step: {k}, seconds: {s:.3f}, TFLOP/s/device: 123.456, Tokens/s/device: "
                             f"{1000 / s:.3f}, total_weights: 1000, loss: 7.123\n"),
)


MEGATRON = FORMATS[0][1]

def lines(template, **more):
    """Returns the 13 lines of a log file. In the log, the first two steps take ten seconds each, and all later steps
    take half a second each."""
    return "".join(template.format(k=k, s=s, ms=1000 * s, rate=1 / s, tps=round(1000 / s), **more)
                   for k in range(1, 14) for s in (10 if k < 3 else 0.5,))


TITAN = "[titan] - root - INFO - step: {k:2}  loss:  7.1  memory: 42.50GiB(53.10%)  tps: {tps:,}  mfu: 45.10%\n"
BAR = "{k:2d}%|###       | {k}/100 [1:02:10<2:01:00, {rate:5.2f}it/s]"
COMPOSER = ("[batch={k}/100]:\n\t Train memory/peak_reserved_mem: 25.75\n\t Train throughput/batches_per_sec: {rate:.4f}\n"
            "\t Train throughput/device/batches_per_sec: 0.1\n\t Train throughput/device/mfu: 0.4512\n")
LOGS = (  # each row: name, log, step in seconds, number of warm-up lines, memory in bytes, MFU; computed by hand
    ("seconds", "".join(f"[default7]: iteration {k:8d}/  115311 | consumed samples: 96 | elapsed time per iteration (s): "
                        f"{s} | learning rate: 4.438E-07 | samples per second: 13.276 |\n"
                        for k, s in ((10, "7.2310"), (20, "5.3551"))), 5.3551, 1, None, None),
    ("a restart at an earlier step", "".join(MEGATRON(k, s) for k, s in (
        (900, 9), (901, 9), (905, 2), (500, 9), (501, 9), (505, 2), (506, 2), (507, 2))), 2, 4, None, None),
    ("lines of two ranks", "".join(MEGATRON(k, s) for k, s in ((1, 9), (1, 9), (7, 2), (6, 3), (7, 2))), 2, 2, None, None),
    ("Megatron-Bridge", "".join(MEGATRON(k, 2) for k in range(1, 9)) + "[Rank 0] (after 2 iterations) memory (GB) | "
     "mem-max-allocated-gigabytes: 30.25 | mem-max-reserved-gigabytes: 44.125\n", 2, 5, 44.125e9, None),
    ("a validation", lines(TITAN + "[titan] - validate step: {k:2}  loss: 7.1  memory: 62.50GiB(78%)  tps: 999,999\n"),
     0.5, 5, 42.5 * GIB, 0.451),
    ("a bar behind the rank of srun", lines("0:  " + BAR + "\n"), 0.5, 5, None, None),
    ("a bar behind the rank of torchrun", lines("[rank0]:  " + BAR + "\n"), 0.5, 5, None, None),
    ("a bar behind the rank of Ray", lines("(Worker pid=123, ip=10.0.0.1)  " + BAR + "\n"), 0.5, 5, None, None),
    ("Axolotl", lines("\r " + BAR + "\n{{'loss': 1.1, 'memory/max_allocated (GiB)': 20.5, 'memory/device_reserved (GiB)': "
                      "22.25, 'tokens/train_per_sec_per_gpu': 9.5}}\n"), 0.5, 5, 22.25 * GIB, None),
    ("a pipeline of DeepSpeed", lines("steps: {k} loss: 4.1234 iter time (s): {s:0.3f} samples/sec: 9.999\n"), 0.5, 5, None,
     None),
    ("a batch of MaxText that grows", lines("[Rampup Batch Size Phase], completed step: {k}, seconds: 0.1, loss: 7.1\n")
     + lines("completed step: {k}, seconds: {s:.3f}, loss: 7.1\n") + "Total estimated memory size: 80.5 GB, estimated "
     "output size: 44.5 GB\n", 0.5, 5, 80.5 * GIB, None),
    ("nanotron", lines("[INFO|DP=0|PP=0|TP=0]: iteration: {k} / 378950 | consumed_tokens: 85.8G | time_per_iteration_ms: "
                       "11.5K | tokens_per_sec: 22.8K | cuda_max_memory_reserved: 12.5G\n"), 11.5, 5, 12.5e9, None),
    ("torchtune", lines("\r1|{k}|Loss: 1.2345:   {k}%|#         | {k}/300 [00:12<10:12,  {rate:.2f}it/s]")
     + "Step 10 | loss:1.23 tokens_per_second_per_gpu:4512.3 peak_memory_alloc:12.5 peak_memory_reserved:14.25 \n", 0.5, 5,
     14.25 * GIB, None),
    ("Composer", lines(COMPOSER) + "[Eval batch=3/8] Eval on eval data\n", 0.5, 5, 25.75e9, 0.4512),
    ("nanoGPT", lines("iter {k}: loss 4.0863, time {ms:.2f}ms, mfu 37.20%\n"), 0.5, 5, None, 0.372),
    ("llm.c", lines("step {k:4d}/18865 | loss 7.6 (+1.2z)| norm 1.2 (+0.1z)| lr 8.57e-07 | {ms:.2f} ms | -100.0% bf16 MFU | "
                    "171549 tok/s\n"), 0.5, 5, None, None),
)


def read_by_hand(program, source, folder):
    for name, text, step_s, skipped, memory, mfu in LOGS:
        path = os.path.join(folder, "log")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        run = subprocess.run([program, "watch", path, "dense", "fitted", "--format", "json"], capture_output=True, text=True,
                             env={**os.environ, "NNCOST_PATH": os.path.join(source, "tests/toy")})
        read = json.loads(run.stdout or "{}")
        found = tuple(read.get(key) for key in ("step_s", "skipped", "memory_bytes", "mfu"))
        assert found == (step_s, skipped, memory, mfu), (name, run.stderr, read)


def read_back(program, source, folder, name, line, step_s):
    path = os.path.join(folder, "log")
    with open(path, "w", encoding="utf-8") as file:  # the first two steps are slower
        file.writelines(line(k, step_s * (20 if k < 3 else 1)) for k in range(1, 13))
    run = subprocess.run([program, "watch", path, "dense", "fitted", "--format", "json"], capture_output=True, text=True,
                         env={**os.environ, "NNCOST_PATH": os.path.join(source, "tests/toy")})
    assert run.returncode in (0, 1), run.stderr
    read = json.loads(run.stdout)
    assert read["program"] == name, (read["program"], name)
    low, high = read["alarm_s"]
    assert run.returncode == (read["verdict"] != "inside")
    assert (low <= read["step_s"] <= high) == (read["verdict"] in ("inside", "more_memory"))
    for end, alarm in zip(read["interval_s"], read["alarm_s"]):
        assert abs(alarm / read["predicted_s"] - (end / read["predicted_s"]) ** 1.5) < 1e-6
    return read["step_s"]


def main():
    program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    tables = [os.path.join(source, "tests/published", f) for f in sorted(os.listdir(os.path.join(source, "tests/published")))
              if f.startswith("training_")]
    out = subprocess.run([program, "accuracy", *tables, "--rows", "--summary", "--format", "json"], capture_output=True,
                         text=True, check=True, env={**os.environ, "NNCOST_PATH": source}).stdout
    rows = [r for r in json.loads(out)["rows"] if r["kind"] == "step" and r["high_s"] and r["measured_s"]]

    def alarm(row, step_s):
        low, high = (row["predicted_s"] * (row[k] / row["predicted_s"]) ** 1.5 for k in ("low_s", "high_s"))
        return not low <= step_s <= high

    share = sum(alarm(r, r["measured_s"]) for r in rows) / len(rows)
    sample, alarms = rows[::10], 0
    with tempfile.TemporaryDirectory() as folder:
        read_by_hand(program, source, folder)
        for i, row in enumerate(sample):
            name, line = FORMATS[i % len(FORMATS)]
            read = read_back(program, source, folder, name, line, row["measured_s"])
            # the format prints tps as a whole number, and seconds with three digits
            rounding = max(0.005, 0.0006 / row["measured_s"], row["measured_s"] / 1900)
            assert abs(read / row["measured_s"] - 1) <= rounding, (name, row["measured_s"], read)
            alarms += alarm(row, read)
    print(f"{len(rows)} published steps, {100 * share:.1f} % alarms; as logs {alarms} of {len(sample)}")
    assert len(rows) > 1000 and share <= 0.1 and alarms <= 0.1 * len(sample)


main()
