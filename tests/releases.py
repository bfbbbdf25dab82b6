#!/usr/bin/env python3
"""releases.py NNCOST SOURCE [ROWS] [SEED]: tests that 'nncost estimate' and 'nncost accuracy' predict the same digits
for a measured row.

Converts measured rows to command lines: each cell becomes an option, and framework and release become --software. Draws
ROWS [2] rows of each published file with SEED [1] and compares them at every level of information. If ROWS is 0,
compares all rows."""
import csv
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ROWS, SEED = (int(sys.argv[at]) if len(sys.argv) > at else usual for at, usual in ((3, 2), (4, 1)))
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
    """Runs an estimate with the values of the row. The estimate uses a shipped model whose dimensions are changed to
    the dimensions of the row."""
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
    """Returns whether the row states all deciding fields and its model is a shipped dense model with fields changed by
    --set."""
    return (not row.get("refused") and "recompute" not in row.get("open", "") and "parallelism" not in
            row.get("open", "") and not row.get("host_pass_s") and row.get("model.layers") and
            not row.get("model.experts") and not row.get("model.sliding_window") and row.get("model.norm") == "rms")


# ---- rows of every published file at every level of information ----

CELLS = PLAN + ["image", "optimizer", "offload", "policy", "schedule", "rank_order", "imbalance", "dropout"]
SPELLED = {"adam (fp32 grad accumulation)": "adam", "adamw fused": "adamw"}
# Plan fields that the release of a framework sets if the row does not state them.
RELEASED = ["policy", "attention", "zero", "sequence_parallel", "virtual_stages", "reshard", "ends_as_layers", "whole_experts",
            "context_kind", "adapters", "frozen", "recompute", "recompute_layers", "optimizer_kernels"]


def releases():
    """Yields each framework that a release of a software profile names, with the profile and the facts of the release
    about models."""
    for path in glob.glob(os.path.join(SOURCE, "software/*.json")):
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        for entry in profile.get("stands_for", []):
            for key in ("framework", "also"):
                if entry.get(key):
                    yield profile["id"], entry[key], entry


KERNELS = {}  # profile -> attention kernel
NAMES = {name for _, name, _ in releases()}
OF_MODELS = {(id, name): entry for id, name, entry in releases()}
# Facts about the measured program that are not a field of the plan.
APART = ("host_pass_s", "host_sample_s", "input_samples_per_s", "internode_gbps_per_node")


def options_of(row, folder):
    """Returns model, device and options from the cells of the row, without --software."""
    model, sets = row.get("model") or "" if row.get("model.layers") else row.get("model") or row["model_name"], []
    if not model and row.get("model.layers"):
        name = row["model_name"].replace("/", "-")
        model = os.path.join(folder, name + ".json")
        fields = {k[len("model."):]: v for k, v in row.items() if k.startswith("model.") and v not in ("", "0")}
        fields.setdefault("kv_heads", fields["heads"])
        if "kv_lora_rank" in fields:
            fields["kv_heads"] = fields["heads"]
            fields["head_dim"] = int(fields["qk_nope_head_dim"]) + int(fields["qk_rope_head_dim"])
        fields.setdefault("head_dim", int(fields["hidden"]) // int(fields["heads"]))
        fields.setdefault("ffn_hidden", fields.get("expert_hidden"))
        fields.setdefault("seq_len", row["seq_len"])
        document = {"schema": "nncost.model/1", "id": name, "name": name, "family": "decoder", "sources": {"": "the row"}}
        for key, value in fields.items():
            number = str(value).replace(".", "", 1).replace("-", "", 1).replace("e", "", 1).isdigit()
            document[key] = (value.split(",") if key == "mixers" else json.loads(str(value)) if number
                             else {"on": True, "off": False}.get(value, value))
        with open(model, "w", encoding="utf-8") as file:
            json.dump(document, file)
    elif "=" in model:
        model, *sets = model.split()
    words = [model, row["device"]]
    for name in CELLS:
        torus = name == "devices_per_node" and row["device"].startswith("tpu") and int(row.get(name) or 0) <= 8
        if row.get(name) and not torus:
            words += ["--" + name.replace("_", "-"), SPELLED.get(row[name], row[name]).replace(",", "+")]
    for name in ("sequence_parallel", "next_tokens"):
        if row.get(name) and (name != "sequence_parallel" or int(row.get("tensor") or 1) > 1):
            words.append("--" + name.replace("_", "-") + "=" + row[name])
    for name, value in row.items():
        if name.startswith("device.") and value:
            words += ["--set", f"{name}={value}"]
        if name.startswith("software.") and value:
            words.append("--" + name[len("software."):].replace("_", "-") + "=" + value)
    for value in sets:
        words += ["--set", "model." + value]
    return words


def kernel_of(profile):
    if profile not in KERNELS:
        KERNELS[profile] = next(f["value"] for f in run("show", profile)["fields"] if f["field"] == "flash_kernel")
    return KERNELS[profile]


def settings_of(row, plan, words):
    """Returns options for the fields that a release sets in plan and model, and an option for the attention kernel of
    the release."""
    options = []
    name = max((name for name in NAMES if row["framework"].lower().startswith(name.lower())), key=len)
    entry = OF_MODELS.get((plan["software"], name), {})
    if row.get("model.layers") and entry.get("vocab_multiple"):
        options += ["--set", f"model.vocab_multiple={entry['vocab_multiple'] * plan['tensor']}"]
    if row.get("model.mlp") == "gelu" and plan["precision"] == "fp16" and entry.get("fp16_dropout"):
        options += ["--set", f"model.dropout={entry['fp16_dropout']}"]
    for name in RELEASED:
        option, value = "--" + name.replace("_", "-"), plan[name]
        if name != "attention" and not any(word.split("=")[0] == option for word in words):
            options.append(f"{option}={('off', 'on')[value] if isinstance(value, bool) else value}")
    kernel = kernel_of(plan["software"]) if plan["attention"] == "flash" else plan["attention"]
    return [*options, "--attention=" + kernel]


def stated(row):
    """Returns true if the row states its plan and if its time includes no data loading on the host."""
    return not any(row.get(name) for name in APART) and not set(row.get("open", "").split(", ")) & {"parallelism", "recompute"}


def named(row):
    """Returns --software with the framework's name in the release and its version. Returns no option for a framework
    without a release, because `nncost accuracy` predicts rows of such a framework without a profile."""
    names = [name for name in NAMES if row["framework"].lower().startswith(name.lower())]
    version = row.get("framework_version", "")
    said = version[:1].isdigit() or any(version.startswith(entry.get("version") or "?") for _, _, entry in releases())
    return ["--software", max(names, key=len) + (" " + version if said else "")] if names else []


def by_name(row, model):
    """Returns whether the release depends on the model's name in the row, so that the command line selects another
    release. The command line has the name of a shipped model instead of the model's name in the row."""
    starts = {entry["model"] for _, name, entry in releases() if entry.get("model") and row["framework"].startswith(name)}
    return any(row["model_name"].startswith(start) != os.path.basename(model).startswith(start) for start in starts)


class Sample(unittest.TestCase):
    faults, compared, refused = [], 0, 0

    def differ(self, row, level, words, found):
        done = subprocess.run([PROGRAM, "estimate", *words, "--format", "json"], capture_output=True, text=True, env=ENV, check=False)
        if done.returncode > 1:
            self.faults.append(f"{level} {row['id']}: {done.stderr.strip()}\n    {' '.join(words)}")
            return None
        answer = json.loads(done.stdout)
        Sample.compared += 1
        if answer["step"]["step_s"] != found["predicted_s"]:
            self.faults.append(f"{level} {row['id']}: {answer['step']['step_s']} by estimate with {answer['plan']['software']}, "
                               f"{found['predicted_s']} by accuracy with {found['software']}\n    {' '.join(words)}")
        return answer

    def test_rows_of_every_file(self):
        rng = random.Random(SEED)
        with tempfile.TemporaryDirectory() as folder:
            for path in sorted(glob.glob(os.path.join(SOURCE, "tests/published/training_*.csv"))):
                self.one_file(path, folder, rng)
        print(f"{self.compared} compared, {len(self.faults)} differ")
        print(*self.faults, sep="\n")
        self.assertFalse(self.faults)

    def one_file(self, path, folder, rng):
        with open(path, encoding="utf-8", newline="") as file:
            rows = [r for r in csv.DictReader(file) if stated(r)]
        scored = {level: {r["id"]: r for r in run("accuracy", path, "--rows", "--level", level)["rows"]}
                  for level in ("matched", "plan", "user")}
        rows = [r for r in rows if all(s[r["id"]]["predicted_s"] for s in scored.values())]
        for row in rng.sample(rows, min(ROWS or len(rows), len(rows))):
            words = options_of(row, folder)
            self.differ(row, "user", words, scored["user"][row["id"]])
            if by_name(row, words[0]):
                continue
            answer = self.differ(row, "matched", [*words, *named(row)], scored["matched"][row["id"]])
            if answer is not None and named(row):
                words = [word for at, word in enumerate(words)
                         if not {"--attention", "--recompute", "--recompute-layers"} & set(words[max(0, at - 1):at + 1])]
                words += settings_of(row, answer["plan"], words)
            self.differ(row, "plan", words, scored["plan"][row["id"]])
            if row.get("model_name") and row["source"].endswith("image-models"):
                self.differ(row, "plan", [row["model_name"], *words[1:]], scored["plan"][row["id"]])


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
        """In each release of FSDP, two thirds of the traffic must overlap with compute, at 400 Gbit/s for each server
        of 8 A100 (fms-fsdp, 128 devices)."""
        for software in ("fsdp-1", "fsdp-torch-2.1", "fsdp"):
            step = run("estimate", "llama2-70b", "a100-80gb", "--devices", "128", "--zero", "3", "--micro-batch", "2",
                       "--recompute", "full", "--set", "device.scale_out.bytes_per_s=6.25e9",
                       "--software", software)["step"]
            self.assertLess(step["exposed_comm"]["data"], step["communication"]["data"] / 3, software)

    def test_networks_of_maps_name_the_open_software(self):
        """ResNet-50 runs eagerly unless the plan states otherwise; in fp16 on an old GPU, it runs as in PyTorch 1. With
        fp16 on an old GPU, the open field `software` lists the profile of PyTorch 1 first, and the tuned kernels of
        MLPerf last."""
        for precision, values in (("fp16", ["torch-1-maps", "torch-eager", "mlperf"]),
                                  ("bf16", ["torch-eager", "torch-compile", "mlperf"])):
            answer = run("estimate", "resnet-50", "a100", "--micro-batch", "128", "--precision", precision)
            facts = {f["name"]: f for f in answer["open_facts"]}
            self.assertEqual(facts["software"]["values"], values)
            self.assertEqual(answer["plan"]["software"], values[0])
            self.assertGreater(abs(facts["software"]["effect"]), 0.2)

    def test_networks_of_maps_name_the_open_layout(self):
        """ResNet-50 with channels-last maps is faster than in the default layout of PyTorch. If the plan states the
        layout, the layout is not an open field."""
        plan = ("estimate", "resnet-50", "a100", "--micro-batch", "128", "--precision", "bf16")
        facts = {f["name"]: f for f in run(*plan)["open_facts"]}
        steps = [run(*plan, option)["step"]["step_s"] for option in ("--contiguous-maps", "--contiguous-maps=off")]
        self.assertEqual(facts["contiguous_maps"]["values"], ["off", "on"])
        self.assertAlmostEqual(facts["contiguous_maps"]["effect"], steps[1] / steps[0] - 1)
        self.assertLess(facts["contiguous_maps"]["effect"], -0.1)
        for option in ("--contiguous-maps", "--contiguous-maps=off", "--software=mlperf"):
            self.assertNotIn("contiguous_maps", [f["name"] for f in run(*plan, option).get("open_facts", [])])

    def test_plans_name_the_open_host(self):
        """If a step waits for the host that issues the operators of a library, the host is an open field, until --host
        states the host. FSDP and DeepSpeed issue the operators of a library, too."""
        model = os.path.join(SOURCE, "tests/published/finetuning/configs/qwen-1.8b.json")
        plan = ("estimate", model, "a100-80gb", "--seq-len", "256", "--adapter-rank", "64")
        fact = {f["name"]: f for f in run(*plan)["open_facts"]}["host"]
        steps = [run(*plan, "--host", host)["step"]["step_s"] for host in ("desktop", "h100-server")]
        self.assertEqual(fact["values"], ["desktop", "h100-server"])
        self.assertAlmostEqual(fact["effect"], steps[0] / steps[1] - 1)
        self.assertNotIn("host", [f["name"] for f in run(*plan, "--host", "desktop").get("open_facts", [])])
        for software in ("fsdp-torch-2.1", "deepspeed-0.14"):
            steps = [run(*plan, "--devices", "2", "--zero", "3", "--software", software, "--host", host)["step"]["step_s"]
                     for host in ("desktop", "h100-server")]
            self.assertLess(steps[0], 0.6 * steps[1], software)

    def test_plans_name_open_context_adapters_and_links(self):
        """For each value of an open field, the listed effect on the step time must equal the effect in an estimate with
        this value. A field that the plan states is not open."""
        plan = ("estimate", "llama2-70b", "gb200", "--devices", "72", "--context", "8", "--micro-batch", "1",
                "--global-batch", "9", "--seq-len", "8192", "--precision", "fp8", "--adapter-rank", "16", "--zero", "1")
        cards = ("estimate", "llama2-7b", "l40s", "--devices", "8", "--zero", "3", "--seq-len", "1024")
        links = "efficiency.collectives.bus_fraction"
        for run_of, name, option in ((plan, "context_kind", "--context-kind="), (plan, "adapters", "--adapters="),
                                     (cards, links, f"--set={links}=")):
            answer = run(*run_of)
            fact = {f["name"]: f for f in answer["open_facts"]}[name]
            steps = [run(*run_of, option + value)["step"]["step_s"] for value in fact["values"]]
            effects = [s / answer["step"]["step_s"] - 1 for s in steps]
            self.assertAlmostEqual(fact["effect"], max(effects, key=abs), places=6, msg=name)
            self.assertGreater(abs(fact["effect"]), 0.05, name)
            stated = run(*run_of, option + fact["values"][-1])
            self.assertNotIn(name, [f["name"] for f in stated.get("open_facts", [])])
        pair = run("estimate", "llama2-7b", "l40s", "--devices", "2")
        self.assertNotIn(links, [f["name"] for f in pair.get("open_facts", [])])

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
        """maxtext is a profile for TPUs. On GPUs, another profile describes the framework MaxText."""
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
