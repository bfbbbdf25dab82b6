"""Lists commands with --format json for the devices and models of tests/toy, and runs the commands to get their JSON
documents."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])

CLUSTER = "dense round --devices 16 --tensor 2 --pipeline 2 --micro-batches 4 --sequence-parallel"
COMMANDS = {
    "estimate": [
        "dense round",
        "dense round --mode ideal --tokens 1e9 --price 2",
        "dense round --set hidden=256 --recompute full --offload optimizer",
        "dense round --micro-batch 4096",
        "unet round --samples 1e6",
        "experts round --devices 8 --expert 8 --zero 1",
        f"{CLUSTER} --stages --timeline --sensitivity",
    ],
    "ops": ["dense round", "unet old", f"{CLUSTER}"]
    + [f"dense round --by {by} --sort time --top 3" for by in ("op", "group", "phase")],
    "compare": ["dense,unet round,old --micro-batch 1,2"],
    "run": [
        "dense round --devices 16 --tokens 1T --device-mtbf-s 10000h --sample-bytes 8192 --input-bytes-per-s 1GB/s",
        "unet round --epochs 10 --dataset-size 1e6 --prepare-s 20ms --prepared-bytes 3MB --price 2",
    ],
    "serve": [
        "dense round --input-len 500 --output-len 100",
        "dense round --concurrency 4 --input-len 100 --weights int4 --price 2",
        "experts round --request-rate 10 --tensor 2 --devices 4",
        "experts round --offline --input-len 100000 --memory-use 0.2",
    ],
    "serve-sweep": ["dense,experts round --serve --concurrency 1,2 --input-len 100"],
    "serve-search": ["dense round --serve --slo tpot_s<=0.003 --input-len 100",
                     "dense round --serve --slo tpot_s<=0.0003 --input-len 100"],
    "images": ["unet round --steps 20"],
    "budget": ["--device round --cost 1M --days 30", "--device round --params 70B --tokens 1.4T --price 2"],
    "search": [
        "dense round --devices 8 --global-batch 64 --threads 1",
        "dense round --devices 8 --global-batch 64 --tokens 1e9 --target-step 1ms --threads 1",
        "dense round --devices 4,8 --global-batch 64 --threads 1",
        "dense round --devices 8 --global-batch 64 --shard 1/2 --threads 1",
        "dense round --devices 4,8 --global-batch 64 --shard 1/2 --threads 1",
        "dense round --devices 8 --global-batch 64 --max-memory 1000 --threads 1",
    ],
    "scale": ["dense round --devices 1,8,64 --global-batch 64 --threads 1",
              "unet round --devices 1..4 --global-batch 8 --samples 1e6 --price 2 --threads 1",
              "dense round --devices 1..4 --global-batch 2 --max-memory 1000 --threads 1"],
    "choices": ["dense round,old --devices 4,8 --tensor 1 --tokens 1e9 --threads 1"],
    "sweep": [
        "dense round,old --devices 8 --tensor 1,2,3 --all",
        "unet round --image 256,512 --columns row,image,step_s,memory.fits,device.mem_bytes,recompute",
    ],
    "check": ["plans.json", "moved.json"],
    "diff": ["estimate.json other.json", "plans.json moved.json"],
    "accuracy": [f"{ROOT}/tests/text/inputs/{name}.csv" for name in
                 ("steps", "parts", "products", "collectives")],
    "calibrate": [f"{ROOT}/tests/text/inputs/{name}.csv --device round" for name in
                  ("fit-steps", "products")],
}

# Forms of commands whose JSON document has a different schema than the document of the same command without this form.
FORMS = {"serve-sweep": "sweep", "serve-search": "search", "choices": "search", "images": "serve"}


class Folder:
    """A temporary folder with plan files and estimates, in which the commands run."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.environment = {
            "PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(self.path),
            "XDG_CONFIG_HOME": str(self.path), "NNCOST_PATH": str(ROOT / "tests/toy"),
        }
        self.prepare()
        return self

    def __exit__(self, *fault):
        self.folder.cleanup()

    def run(self, *words, refused=()):
        """Returns the output of a command. refused: exit codes above 1 that are expected."""
        done = subprocess.run([PROGRAM, *words], cwd=self.path, env=self.environment,
                              capture_output=True, text=True, check=False)
        if words[0] == "calibrate" and "NLopt" in done.stderr:
            return ""  # the program was built without NLopt
        if done.returncode in refused:
            return done.stderr
        if done.returncode > 1:
            sys.exit(f"nncost {' '.join(words)}: {done.stderr}")
        return done.stdout

    def documents(self):
        """Yields every document: the kind of the command, the command, and the parsed JSON."""
        for kind, commands in COMMANDS.items():
            for command in commands:
                text = self.run(FORMS.get(kind, kind), *command.split(), "--format", "json")
                for one in text.splitlines() if kind == "sweep" else [text] if text else []:
                    yield kind, command, json.loads(one)

    def prepare(self):
        """Writes plan files and estimates that the commands read."""
        plans = self.path / "plans.json"
        plans.write_text(self.run("init", "dense", "round"))
        self.run("check", "plans.json", "--update")
        moved = json.loads(plans.read_text())
        moved["scenarios"][0]["micro_batch"] = 2
        moved["scenarios"][0]["require"]["mfu"] = ">= 0.99"
        (self.path / "moved.json").write_text(json.dumps(moved))
        (self.path / "estimate.json").write_text(
            self.run("estimate", "dense", "round", "--format", "json"))
        (self.path / "other.json").write_text(
            self.run("estimate", "dense", "round", "--micro-batch", "2", "--format", "json"))
