#!/usr/bin/env python3
"""Changes published configurations at random, and reads the changed configurations with nncost. The reader must not
crash. If the reader accepts a changed configuration, it must count as many parameters as the formulas in oracle.py.

    mutate.py NNCOST FOLDER [COUNT] [SEED]
"""
import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402

EXTRA = ["sliding_window", "num_experts", "q_lora_rank", "head_dim", "num_key_value_heads", "tie_word_embeddings",
         "attention_bias", "mlp_bias", "n_shared_experts", "layer_types", "use_qk_norm", "num_local_experts",
         "kv_lora_rank", "new_key", "extra_layers", "qk_layernorm", "is_encoder_decoder", "vocab_size"]


def mutate(config, draw):
    """Makes one to three changes in one file."""
    config = copy.deepcopy(config)
    for _ in range(draw.randint(1, 3)):
        keys = [k for k in config if k not in ("model_type", "_class_name")]
        key = draw.choice(keys + EXTRA)
        value = config.get(key)
        kind = draw.randint(0, 7)
        if kind == 0:
            config.pop(key, None)
        elif kind == 1:
            config[key] = None
        elif kind == 2 and isinstance(value, int) and not isinstance(value, bool):
            config[key] = draw.choice([value + 1, value * 2, value // 2, 1, 0, -value, value + 0.5, 10 ** 12])
        elif kind == 3:
            config[key] = draw.choice([True, False])
        elif kind == 4:
            config[key] = draw.choice(["", "x", "8", "silu", "gelu", [], {}, [1], {"a": 1}])
        else:
            config[key] = draw.choice([1, 2, 4, 7, 8, 16, 64, 96, 128, 1000, 4096])
    return config


def run(program, path, config):
    """Returns "refused", "accepted", "exact" (as many parameters as by the formula), or a fault."""
    with open(path, "w") as file:
        json.dump(config, file)
    done = subprocess.run([program, "sweep", path, "h100-sxm5-80gb", "--all", "--threads", "1", "--columns",
                           "model.params", "--format", "csv"], capture_output=True, text=True, check=False)
    if done.returncode in (2, 3):
        lines = done.stderr.splitlines()
        # For a network that is a list of ops, the message names an op that contradicts another op.
        ok = done.stdout == "" and len(lines) == 1 and ("expected" in lines[0] or "ops[" in lines[0])
        return "refused" if ok else f"refused without saying what to do: {done.stderr[:200]}"
    if done.returncode not in (0, 1):
        return f"status {done.returncode}: {done.stderr[:200]}"
    found, expected = int(done.stdout.split()[1]), oracle.params(config)
    if expected is not None and found != expected:
        return f"{found} parameters, by the formula {expected}"
    return "accepted" if expected is None else "exact"


def main():
    program, folder = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with open(os.path.join(folder, "counts.json")) as file:
        models = json.load(file)["models"]
    seeds = []
    for model in models:
        with open(os.path.join(folder, model["config"])) as file:
            config = json.loads(file.read())
        expected = oracle.params(config)
        if not model.get("refused"):
            assert expected in (None, model["params"]), f"oracle: {model['config']}: {expected}"
            seeds += [config] * (4 if expected else 1)
    sums, wrong = {}, []
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(2) as pool:
        def one(index):
            config = mutate(seeds[random.Random(f"{seed}.{index}").randrange(len(seeds))],
                            random.Random(f"{seed}:{index}"))
            return run(program, os.path.join(temporary, f"{index}.json"), config), config
        for verdict, config in pool.map(one, range(count)):
            known = verdict in ("refused", "accepted", "exact")
            sums[verdict if known else "wrong"] = sums.get(verdict if known else "wrong", 0) + 1
            if not known:
                wrong.append((verdict, config))
    for verdict, config in wrong[:20]:
        print(verdict, json.dumps(config)[:1500], sep="\n    ")
    print(count, "changed files:", ", ".join(f"{n} {verdict}" for verdict, n in sorted(sums.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
