#!/usr/bin/env python3
"""releases.py NNCOST SOURCE: estimate and accuracy give the same digits for the same words.

Measured rows become command lines: their cells are options, their framework and its release --software."""
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ENV = {**os.environ, "NNCOST_PATH": SOURCE}
PLAN = ["devices", "devices_per_node", "tensor", "pipeline", "virtual_stages", "data", "context", "expert", "zero",
        "shard", "micro_batch", "micro_batches", "global_batch", "seq_len", "precision", "attention", "recompute",
        "recompute_layers", "overlap", "context_kind", "adapter_rank", "capacity_factor"]
FILES = {"megatron_bridge": 9, "nemo": 3, "torchtitan": 4, "llmfoundry": 11, "mlperf_llm": 7, "maxtext": 7,
         "vtrain_multi": 9, "nanotron": 5, "simumax": 8, "megatron": 5, "automodel": 1}


def run(*args):
    out = subprocess.run([PROGRAM, *args, "--format", "json"], capture_output=True, text=True, env=ENV, check=False)
    if out.returncode > 1:
        raise AssertionError(" ".join(args) + "\n" + out.stderr)
    return json.loads(out.stdout)


def command(row, words):
    """estimate with what the row says; its model is a shipped one with the row's dimensions."""
    args = ["estimate", "llama-7b", row["device"]] + (["--software", words] if words else [])
    for name in PLAN:
        if row.get(name):
            args += ["--" + name.replace("_", "-"), row[name].replace(",", "+")]
    if row.get("sequence_parallel"):
        args.append("--sequence-parallel=" + row["sequence_parallel"])
    model = {k[len("model."):]: v for k, v in row.items() if k.startswith("model.") and v}
    model.setdefault("kv_heads", model["heads"])
    model.setdefault("head_dim", str(int(model["hidden"]) // int(model["heads"])))
    for name, value in model.items():
        args += ["--set", f"model.{name}={value}"]
    for name, value in row.items():
        if name.startswith("device.") and value:
            args += ["--set", f"{name}={value}"]
    return args


def suits(row):
    """Rows that state what decides the step, and a model that --set can make of a dense one."""
    return (not row.get("refused") and "recompute" not in row.get("open", "") and "parallelism" not in
            row.get("open", "") and not row.get("host_pass_s") and row.get("model.layers") and
            not row.get("model.experts") and not row.get("model.sliding_window") and row.get("model.norm") == "rms")


class Releases(unittest.TestCase):
    def compare(self, level, words_of):
        compared = 0
        for name, every in FILES.items():
            path = os.path.join(SOURCE, f"tests/published/training_{name}.csv")
            with open(path, encoding="utf-8", newline="") as file:
                rows = [r for r in csv.DictReader(file) if suits(r)][::every]
            scored = {r["id"]: r for r in run("accuracy", path, "--rows", "--level", level)["rows"]}
            for row in rows:
                found = scored[row["id"]]
                if found["predicted_s"] is None:
                    continue
                answer = run(*command(row, words_of(row)))
                self.assertEqual(answer["step"]["step_s"], found["predicted_s"], row["id"])
                self.assertEqual(answer["plan"]["software"], found["software"], row["id"])
                compared += 1
        self.assertGreater(compared, 10)

    def test_with_the_framework_named(self):
        def words(row):
            version = row.get("framework_version", "")
            return row["framework"].split("/")[0].split(" (")[0] + (" " + version if version[:1].isdigit() else "")
        self.compare("matched", words)

    def test_as_a_user_would_ask(self):
        self.compare("user", lambda row: "")

    def test_releases_by_version_model_and_device(self):
        text = ("id,device,devices,framework,framework_version,precision,model,micro_batch,recompute,measured_s\n"
                "a,b200,8,Megatron-Bridge,26.04,fp8,llama3-8b,1,none,1\n"
                "b,gb200,8,Megatron-Bridge,26.08,fp8,llama3-8b,1,none,1\n"
                "c,tpu-v4,8,MaxText,,bf16,llama3-8b,1,none,1\n"
                "d,h100,8,MaxText,,bf16,llama3-8b,1,none,1\n"
                "e,gb200,8,MLPerf NeMo,5.1,fp8,llama3-8b,1,none,1\n"
                "f,h100,8,MLPerf NeMo,3.0,bf16,llama3-8b,1,none,1\n"
                "g,h100,8,somebody's own,1.0,bf16,llama3-8b,1,none,1\n"
                "h,h100,8,Megatron-LM,Megatron-Core r0.8.0,bf16,llama3-8b,1,none,1\n"
                "i,gb200,8,NVIDIA,MLPerf v5.1; NVIDIA NeMo,fp8,llama3-8b,1,none,1\n"
                "j,b200,8,Megatron-Bridge,NeMo 26.04 container,fp8,llama3-8b,1,none,1\n"
                "k,tpu-v4,8,MaxText,MLPerf v4.1,bf16,llama3-8b,1,none,1\n"
                "l,h100,8,Megatron-LM,,bf16,llama3-8b,1,none,1\n"
                "m,a100,8,Megatron-LM,,bf16,llama3-8b,1,none,1\n"
                "n,h100,8,torchtitan eager,2024.12,bf16,llama3-8b,1,none,1\n"
                "o,mi300x,8,MaxText,,bf16,llama3-8b,1,none,1\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            rows = run("accuracy", path, "--rows")["rows"]
        self.assertEqual([r["software"] for r in rows],
                         ["nemo-26.02", "nemo-26.06", "maxtext", "maxtext-gpu", "mlperf-5.0", "mlperf-3.0",
                          "torch-compile", "megatron-core-0.8", "mlperf-5.0", "nemo-26.02", "maxtext",
                          "megatron-core-0.8", "megatron-classic", "torchtitan-eager-2024.12", "maxtext-gpu"])

    def test_fsdp_gathers_beside_compute_in_every_release(self):
        """Two thirds of the traffic overlap at 400 Gbit/s for each server of 8 A100 (fms-fsdp, 128 devices)."""
        for software in ("fsdp-1", "fsdp-torch-2.1", "fsdp"):
            step = run("estimate", "llama2-70b", "a100-80gb", "--devices", "128", "--zero", "3", "--micro-batch", "2",
                       "--recompute", "full", "--set", "device.scale_out.bytes_per_s=6.25e9",
                       "--software", software)["step"]
            self.assertLess(step["exposed_comm"]["data"], step["communication"]["data"] / 3, software)

    def test_networks_of_maps_name_the_open_software(self):
        """ResNet-50 runs eagerly unless the plan states otherwise, in fp16 on an old GPU as in PyTorch 1; tuned kernels
        are listed as the other end."""
        for precision, values in (("fp16", ["torch-1-maps", "torch-eager", "mlperf"]),
                                  ("bf16", ["torch-eager", "torch-compile", "mlperf"])):
            answer = run("estimate", "resnet-50", "a100", "--micro-batch", "128", "--precision", precision)
            facts = {f["name"]: f for f in answer["open_facts"]}
            self.assertEqual(facts["software"]["values"], values)
            self.assertEqual(answer["plan"]["software"], values[0])
            self.assertGreater(abs(facts["software"]["effect"]), 0.2)

    def test_networks_of_maps_name_the_open_layout(self):
        """ResNet-50 in channels last is faster than in PyTorch's own layout; a plan that states the layout leaves it not open."""
        plan = ("estimate", "resnet-50", "a100", "--micro-batch", "128", "--precision", "bf16")
        facts = {f["name"]: f for f in run(*plan)["open_facts"]}
        steps = [run(*plan, option)["step"]["step_s"] for option in ("--contiguous-maps", "--contiguous-maps=off")]
        self.assertEqual(facts["contiguous_maps"]["values"], ["off", "on"])
        self.assertAlmostEqual(facts["contiguous_maps"]["effect"], steps[1] / steps[0] - 1)
        self.assertLess(facts["contiguous_maps"]["effect"], -0.1)
        for option in ("--contiguous-maps", "--contiguous-maps=off", "--software=mlperf"):
            self.assertNotIn("contiguous_maps", [f["name"] for f in run(*plan, option).get("open_facts", [])])

    def test_every_release_is_chosen_by_its_own_words(self):
        for path in glob.glob(os.path.join(SOURCE, "software/*.json")):
            with open(path, encoding="utf-8") as file:
                profile = json.load(file)
            for entry in profile.get("stands_for", []) if profile.get("date") else []:
                if any(entry.get(key) for key in ("hardware", "model", "family")):
                    continue
                words = entry["framework"] + " " + entry.get("version", "")
                device = "tpu-v5p" if profile["id"] == "maxtext" else "h100"
                answer = run("estimate", "gpt2", device, "--software", words.strip())
                self.assertEqual(answer["plan"]["software"], profile["id"], words)

    def test_a_framework_with_the_name_of_a_profile(self):
        """maxtext is a profile for TPUs; on GPUs another profile describes the framework MaxText."""
        for words, device, profile in (("MaxText", "h100", "maxtext-gpu"), ("MaxText", "mi300x", "maxtext-gpu"),
                                       ("MaxText", "tpu-v5p", "maxtext"), ("maxtext", "h100", "maxtext")):
            plan = run("estimate", "llama3-8b", device, "--devices", "8", "--software", words)["plan"]
            self.assertEqual((plan["software"], plan["zero"]), (profile, 3))

    def test_a_sweep_means_the_same_by_a_name(self):
        plan = ["--devices", "8", "--zero", "3", "--software"]
        for words, device in (("MaxText", "h100"), ("Megatron-LM", "a100"), ("Megatron-LM", "h100"), ("NeMo 25.04", "h100")):
            one = run("estimate", "llama3-8b", device, *plan, words)
            rows = subprocess.run([PROGRAM, "sweep", "llama3-8b", device, *plan, words + ",fsdp", "--all", "--columns",
                                   "plan.software,step.step_s", "--format", "json"], capture_output=True, text=True,
                                  env=ENV, check=False).stdout
            swept = json.loads(rows.splitlines()[0])
            self.assertEqual((swept["plan.software"], swept["step.step_s"]),
                             (one["plan"]["software"], one["step"]["step_s"]), words)
        two = subprocess.run([PROGRAM, "sweep", "llama3-8b", "h100,tpu-v5p", *plan, "MaxText"], capture_output=True,
                             text=True, env=ENV, check=False)
        self.assertEqual(two.returncode, 2)
        self.assertIn("means maxtext-gpu on h100-sxm5-80gb and maxtext on tpu-v5p", two.stderr)

    def test_formats_have_the_names_of_published_tables(self):
        for word, format_of in (("nvfp4", "fp4"), ("mxfp8", "fp8")):
            answer = run("estimate", "llama3-8b", "b200", "--precision", word)
            self.assertEqual(answer["plan"]["precision"], format_of)


unittest.main(argv=sys.argv[:1])
