#!/usr/bin/env python3
"""Runs 26 tasks of new users, each with at most three commands, in an empty folder and with an empty home folder.

    usage: jobs.py PROGRAM ROOT

A task succeeds if every command exits with the right code and prints the answer that the user needs. A task may use
only commands that its user finds in the README, in 'nncost help' or in the files of the task."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
INTEROP = ROOT / "tests/data/interop"

# Each task has a name, the files of the user, and commands. A command is (words, exit code, patterns that the output
# must match).
JOBS = [
    ("a fine-tune of an 8B model on a 4090",
     {}, [("fit llama3-8b rtx4090 --lora 16", 1, ["--recompute full --frozen nf4"]),
          ("estimate llama3-8b rtx4090 --qlora 16 --recompute full --seq-len 2048", 0, ["it fits", "LoRA rank 16"])]),
    ("b a card that no list has",
     {"card.json": {"schema": "nncost.device/1", "id": "mycard", "name": "My card", "like": "rtx4090",
                    "mem_bytes": "16GiB", "mem_bytes_per_s": "600GB/s"}},
     [("init device", 0, ['"mem_bytes": "24GiB"']), ("estimate gpt2 card.json", 0, ["My card", "17.18 GB"])]),
    ("c a smaller GPT-2, by the names of its configuration",
     {}, [("estimate gpt2 a100 --set n_layer=6 --set n_embd=384 --set n_head=6", 0, ["n_layer=6", "it fits"])]),
    ("d a U-Net of one's own on a V100",
     {"net.json": {"schema": "nncost.model/1", "id": "net", "like": "unet-classic", "image": 256}},
     [("estimate net.json v100 --micro-batch 4", 0, ["V100", "it fits"])]),
    ("e the cheapest of four devices for a run",
     {}, [("search gpt2-xl a100,h100,v6e,v5e --devices 8..64*2 --tokens 26B", 0,
           ["USD", r"nncost estimate gpt2-xl v\de --tokens 26B"])]),
    ("f a picture of the roofline",
     {}, [("plot roofline gpt2-xl a100 -o r.svg", 0, [])]),
    ("g a table of batches and stages for pandas",
     {}, [("sweep llama3-8b h100 --devices 8 --zero 1..3 --micro-batch 1,2 -o rows.csv", 0, [])]),
    ("h a gate in CI",
     {}, [("init gpt2-xl a100 -o plans.json", 0, []), ("check plans.json --update", 0, []),
          ("check plans.json", 0, ["1"])]),
    ("i why it is slow, and what helps",
     {}, [("ops gpt2-xl a100 --sort time --top 5", 0, ["share", "compute"]),
          ("advise gpt2-xl a100", 0, ["samples per second", "--micro-batch"])]),
    ("j a step of one's own beside the estimate",
     {"rows.csv": "model,device,step_s,micro_batch,recompute\ngpt2-xl,a100,0.12,1,none\ngpt2-xl,a100,0.5,8,none\n"
                  "gpt2,a100,0.012,1,none\n"},
     [("estimate gpt2-xl a100 --measured 0.12s", 0, ["the estimate is"]),
      ("calibrate rows.csv -o mine.json", 0, ["fitted on 3 rows", "written to mine.json"]),
      ("estimate gpt2-xl mine.json --micro-batch 8", 0, ["One step of GPT-2"])]),
    ("k a configuration of Hugging Face",
     {"config.json": {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22,
                      "num_attention_heads": 32, "num_key_value_heads": 4, "vocab_size": 32000,
                      "max_position_embeddings": 2048}},
     [("estimate config.json h100 --full", 0, ["1,100,048,384 parameters"])]),
    ("l a captured PyTorch program",
     {"step.json": ROOT / "tests/data/capture/resnet-50.json"},
     [("estimate step.json h100", 0, ["One step of", "it fits"])]),
    ("m launch files of DeepSpeed and Megatron-LM",
     {"ds.json": INTEROP / "DeepSpeedExamples--training--tensor_parallel--hf_integration--configs--ds_config.json",
      "train.sh": INTEROP / "Megatron-LM--mixtral--train_mixtral_8x7b_distributed.sh"},
     [("estimate ds.json llama2-7b h100 --devices 8 --micro-batch 1 --micro-batches 1 --precision bf16 --clip-gradients --recompute full", None,
       ["One step of Llama 2 7B", "8 x NVIDIA H100"]),
      ("estimate train.sh h100 --devices 64", None, ["One step of", "64 x NVIDIA H100"])]),
    ("n a 70B model on four H100",
     {}, [("serve llama3-70b h100 --devices 4", 1, ["would fit", "--tensor"]),
          ("serve llama3-70b h100 --devices 4 --tensor 4 --batch 32", 0, ["first token", "USD per million"])]),
    ("n2 a model of the hub whose network has the name of an older one",
     {}, [("estimate meta-llama/Llama-3.1-8B h100 --brief", 1, ["One step of Llama-3.1-8B takes"]),
          ("estimate meta-llama/Meta-Llama-3-8B h100 --brief", 1, ["One step of Llama 3 8B takes"]),
          ("estimate stabilityai/stable-diffusion-xl-base-1.0 h100 --brief", 0, ["One step of Stable Diffusion XL"])]),
    ("n3 a micro-batch of one that a stated batch does not need",
     {}, [("estimate sd2-unet a100 --devices 256 --global-batch 2048", 0, ["faster --micro-batch 8: "])]),
    ("n4 full training of 70B on a server",
     {}, [("fit llama3-70b h100 --devices 8", 1, ["--zero 3 --offload optimizer,activations"])]),
    ("o the whole run: days, money, carbon",
     {}, [("run llama3-8b h100 --devices 64 --zero 1 --recompute full --tokens 1T --region FRA", 0,
           ["days", "USD", "CO2e"])]),
    ("p the largest model for a budget",
     {}, [("budget --device h100 --cost 1M --days 30", 0, ["parameters", "tokens"])]),
    ("q what a metric means",
     {}, [("explain mfu", 0, ["peak"]), ("explain attn.qkv gpt2-xl a100", 0, ["FLOP"])]),
    ("r a report to send by mail",
     {}, [("report gpt2-xl a100 --micro-batch 8 -o r.html", 0, [])]),
    ("s how far tensor parallelism can go",
     {}, [("limit llama3-70b h100 --of tensor", 0, ["network"])]),
    ("t more devices: what they bring",
     {}, [("scale llama3-8b h100 --global-batch 512 --devices 8,64,512", 0, ["512"])]),
    ("u where a number comes from",
     {}, [("show h100", 0, ["mem_bytes", "https?://|nvidia"])]),
    ("v the best plan for 64 devices, as a launch file",
     {}, [("search llama3-8b h100 --devices 64 --software megatron", 0, ["nncost estimate llama3-8b h100"]),
          ("estimate llama3-8b h100 --devices 64 --zero 2 --software megatron", 0, ["policy mixed; .* is mixed-fp32grad"]),
          ("search llama3-8b h100 --devices 64 --software megatron --emit megatron", 0,
           ["--tensor-model-parallel-size|--num-layers"])]),
    ("w a word typed wrong",
     {}, [("estimate gpt2-xl a1000", 3, ["a100"]), ("estimate gpt2 a100 --mirco-batch 2", 2, ["--micro-batch"]),
          ("estimat gpt2 a100", 2, ["estimate"])]),
    ("x a log of a run against its estimate",
     {"train.log": ROOT / "tests/data/watch/megatron.log"},
     [("watch train.log gpt2-xl a100", None, ["step"])]),
    ("y a rack of 72 devices",
     {}, [("search llama3-70b gb200 --devices 72", 0, ["global batch 576 .chosen"]),
          ("search llama3-70b gb200 --devices 72 --global-batch 512", 1, ["try --global-batch 576,"])]),
    ("z half of an A100",
     {"half.json": {"schema": "nncost.device/1", "id": "half", "name": "Half an A100", "like": "a100",
                    "mem_bytes": "40GiB", "mem_bytes_per_s": "1TB/s"}},
     [("estimate gpt2 half.json", 0, ["Half an A100", "42.95 GB"])]),
]


def run(command, folder):
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "NNCOST_PATH": str(ROOT), "LC_ALL": "C", "COLUMNS": "100"}
    return subprocess.run([PROGRAM, *command.split()], capture_output=True, text=True, cwd=folder, env=environment)


def main():
    faults, commands = [], 0
    for name, files, steps in JOBS:
        with tempfile.TemporaryDirectory() as folder:
            for file, content in files.items():
                if isinstance(content, Path):
                    shutil.copy(content, Path(folder) / file)
                else:
                    (Path(folder) / file).write_text(content if isinstance(content, str) else json.dumps(content))
            if len(steps) > 3:
                faults.append(f"{name}: {len(steps)} commands")
            for command, code, patterns in steps:
                commands += 1
                done = run(command, folder)
                said = " ".join((done.stdout + done.stderr).split())
                if said.endswith("was built without NLopt"): # the static program has no calibrate, and reports this
                    print(f"{name}: {said}")
                    break
                if done.returncode not in ((0, 1) if code is None else (code,)):
                    faults.append(f"{name}: {command}: exit {done.returncode}: {said[:200]}")
                if code == 0 and done.stderr:
                    faults.append(f"{name}: {command}: {done.stderr.strip()}")
                for pattern in patterns:
                    if not re.search(pattern, said):
                        faults.append(f"{name}: {command}: no {pattern!r} in: {said[:300]}")
                written = re.search(r"-o (\S+)", command)
                if written and code == 0 and not (Path(folder) / written.group(1)).exists():
                    faults.append(f"{name}: {command}: wrote nothing")
    print(f"{len(JOBS)} jobs, {commands} commands, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults or len(JOBS) != 29 else 0


if __name__ == "__main__":
    sys.exit(main())
