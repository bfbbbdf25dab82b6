#!/usr/bin/env python3
"""Tests the Python module nncost. The numbers of the module must equal the numbers of the program. The results must
have attributes, columns and HTML, and the module must refuse bad input.

    usage: module.py NNCOST SHARED_LIBRARY ROOT
"""
import ast
import inspect
import json
import math
import os
import random
import subprocess
import sys
import tempfile

nncost, library, root = (os.path.abspath(path) for path in sys.argv[1:4])
os.environ.update(NNCOST_PATH=root, NNCOST_DATA=root, NNCOST_LIBRARY=library, NNCOST_PROGRAM=nncost)
sys.path.insert(0, os.path.join(root, "python"))
import nncost as module  # noqa: E402


def said(*words):
    done = subprocess.run([nncost, *words, "--format", "json"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


# Tests estimates by the shared library.
told = module.estimate("gpt2", "a100", micro_batch=2, set={"device.mem_bytes_per_s": "1TB/s"}, software=None, zero=None)
expected = json.loads(said("estimate", "gpt2", "a100", "--micro-batch", "2", "--set", "device.mem_bytes_per_s=1TB/s"))
for part in ("accuracy", "open_facts", "trust"):  # only the program has these parts about measured rows
    expected.pop(part, None)
assert told == expected
assert told.step.step_s == expected["step"]["step_s"] and told.ops[0].name == expected["ops"][0]["name"]
plain = told.to_dict()
assert plain == expected and type(plain) is dict and type(plain["ops"][0]) is dict
assert str(told).startswith(told.sentence + "\n") and "step_s" in dir(told.step)
assert told.step_s == told.step.step_s and told.params == told.model.params  # params is a key of only one record
try:
    told.id
    raise SystemExit("a key of two records was answered")
except AttributeError as error:
    assert "model.id, device.id" in str(error)

# Tests models and devices as dicts, aliases of options, fields without their prefix, and lists of all ids that contain
# a given text.
config = {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22,
          "num_attention_heads": 32, "num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 2048}
card = {"schema": "nncost.device/1", "id": "card", "like": "a100", "mem_bytes": "16GiB"}


class Configuration:  # a stand-in for a configuration object of transformers
    def to_dict(self):
        return config


assert module.estimate(config, "h100").params == 1100048384 == module.estimate(Configuration(), "h100").params
assert module.estimate({**config, "_name_or_path": "hub/tiny"}, "h100").sentence.startswith("One step of tiny takes")
assert module.estimate("gpt2", card).memory.capacity_bytes <= 16 << 30
assert module.sweep([config, "gpt2"], [card, "a100"])["step_s"][0] == module.estimate(config, card).step_s
quantized = module.estimate("gpt2", "a100", qlora=16)
assert quantized.step_s == module.estimate("gpt2", "a100", adapter_rank=16, frozen="nf4").step_s
assert module.estimate("gpt2", "a100", set={"n_layer": 6}).step_s == \
    module.estimate("gpt2", "a100", set={"model.layers": 6}).step_s
assert module.__version__ == module.version() and "gpt2" in module.models("GPT") and "llama3-8b" not in module.models("gpt")
page = module.estimate("gpt2", "a100")._repr_html_()
assert page.startswith("<p>One step of GPT-2") and page.count("<tr>") > 8 and "<td>verdict</td><td>fits</td>" in page
assert "&lt;b&gt;" in module.Answer({"sentence": "<b>"})._repr_html_()
try:
    told.step.steps
    raise SystemExit("an unknown attribute was answered")
except AttributeError as error:
    assert "step_s" in str(error)

# Tests the functions that run the program.
ops = module.ops("gpt2", "a100", sort="time", top=3)
assert ops.rows() == json.loads(said("ops", "gpt2", "a100", "--sort", "time", "--top", "3"))["ops"]
assert len(ops["name"]) == 3 and ops.to_dict() == ops and ops._repr_html_().count("<tr>") == 4
assert "<th>time_s</th>" in ops._repr_html_() and "s</td>" in ops._repr_html_()
table = module.sweep("gpt2", ["a100", "h100"], micro_batch=range(1, 3), set={"layers": [6, 12]}, threads=1)
assert len(table["row"]) == 8 and {len(column) for column in table.values()} == {8}
lines = [json.loads(line) for line in said("sweep", "gpt2", "a100,h100", "--micro-batch", "1,2", "--set",
                                           "layers=6,12").splitlines()]
assert len(table["row"]) == len(lines) == 8 and "step.step_s" not in table
for name in lines[0]:
    assert [json.dumps(cell) for cell in table[name]] == [json.dumps(line[name]) for line in lines], name
assert table.step_s is table["step_s"] is table["step.step_s"]
assert module.sweep("llama2-70b", "a100") == {}  # exit code 1: no row fits
found = module.search("gpt2", "a100", devices=2, global_batch=8)
assert found.best[0].plan.devices == 2 and found.best[0].step_s <= found.best[-1].step_s
assert f"{found.best[0].memory_bytes / 1e9:.4g} GB  {found.best[0].command}" in str(found)
advice = module.advise("gpt2", "a100")
assert advice.changes[0].options in str(advice) and advice.changes[0].step_s > 0
limit = module.limit("gpt2", "a100", of="tensor")
assert limit.limit >= 1 and limit.curve[0].size == 1 and limit.bound_by in ("network", "plan")
served = module.serve("llama3-8b", "h100", batch=4)
assert served == json.loads(said("serve", "llama3-8b", "h100", "--batch", "4"))
assert f"time to first token  {1e3 * served.latency.ttft_s:.4g} ms".split() in [line.split() for line in str(served).splitlines()]
table = module.sweep("llama3-8b", ["a100", "h100"], serve=True, batch=[1, 4], input_len=512)
assert len(table.rows()) == 4 and table["device.id"][2] == "h100-sxm5-80gb" and table.batch == [1, 4, 1, 4]
assert table.ttft_s[3] == module.serve("llama3-8b", "h100", batch=4, input_len=512).latency.ttft_s
assert len(table.ttft_interval_s[0]) == 2 and "changes" not in table
# numbers and slices select rows
assert table[0] == table.rows()[0] and table[1:] == table.rows()[1:] and table[-1]["batch"] == 4
assert module.estimate("gpt2", "a100", set="layers=24").step_s == module.estimate("gpt2", "a100", set={"layers": 24}).step_s
rows = [line.split() for line in str(module.fit("gpt2", "a100")).splitlines()]
assert rows[3][:2] == ["largest", "micro-batch"] and int(rows[3][2]) == module.fit("gpt2", "a100").micro_batch > 0
run = module.run("gpt2", "a100", tokens="1B", devices=2)
assert run == json.loads(said("run", "gpt2", "a100", "--tokens", "1B", "--devices", "2")) and f"{run.run.days:.6g}" in str(run)
assert module.explain("mfu").lines[0].source in str(module.explain("mfu"))
assert f"{told.step_s:.6g} s" in str(module.explain("step_s", "gpt2", "a100", micro_batch=2, set={"device.mem_bytes_per_s": "1TB/s"}))
assert module.check(os.path.join(root, "examples/deepseek-v3.json")).schema == "nncost.check/1"
assert module.command("compare", "gpt2", ["a100", "h100"]).schema == "nncost.compare/1"
picture = module.plot("step", "gpt2", "a100")
assert picture._repr_svg_().startswith("<svg ")
with tempfile.TemporaryDirectory() as place:
    picture.save(os.path.join(place, "step.svg"))
    with open(os.path.join(place, "step.svg"), encoding="utf-8") as file:
        assert file.read() == picture
for reading, near in ((lambda: told.step_time, "step.step_s"), (lambda: told.memory.total, "total_bytes"),
                      (lambda: told.sentense, "sentence"), (lambda: module.compare, "nncost.sweep"),
                      (lambda: told["step_s"], "expected it in step"), (lambda: told["sentense"], "did you mean sentence"),
                      (lambda: module.estimate({"layers": 2}, "a100"), "dict: schema"),
                      (lambda: module.Specs().estimate("gpt2", "a100", set="layers=2"), "fields with their values"),
                      (lambda: table["ttft"], "ttft_s"), (lambda: module.serve("llama3-8b", "h100", batch=[1, 2]), "nncost.sweep")):
    try:
        reading()
        raise SystemExit(f"{inspect.getsource(reading)} was answered")
    except (AttributeError, KeyError, module.Error) as error:
        assert near in str(error), error
assert not module.estimate("llama2-70b", "a100").memory.fits

for wrong in (lambda: module.estimate("gpt2", "a100", micro_bach=2), lambda: module.sweep("gpt2", "a100", micro_bach=[2]),
              lambda: module.ops("gpt9", "a100"), lambda: module.check("no-such-file.json"),
              lambda: module.serve("gpt2", "--help")):
    try:
        wrong()
        raise SystemExit(f"{inspect.getsource(wrong)} was answered")
    except module.Error as error:
        assert error.where and error.what, error

# For random plans, the module, a plan file and MCP must give the same digits as the program. The plan in an answer, if
# it is read as a scenario, must give the same digits as the answer. Plans with a release, and plans that do not fit,
# are compared only with the program.
draw = random.Random(5)
choices = {"software": [None, "torch-eager", "torch-compile", "megatron", "torchtitan-2024.12", "nemo-26.06", "maxtext"],
           "devices": [1, 4, 16], "tensor": [1, 1, 2], "pipeline": [1, 1, 2], "micro_batch": [1, 4], "zero": [None, 1, 3],
           "recompute": [None, "full", "norm,activation"], "optimizer": [None, "adam8bit", "muon"],
           "precision": [None, "fp16", "fp8"], "adapter_rank": [None, None, 16], "tokens": [None, None, 10**9]}
drawn, refused = {}, 0
while len(drawn) < 25:
    operands = draw.choice(module.models()), draw.choice(module.devices())
    options = {name: value for name, values in choices.items() if (value := draw.choice(values)) is not None}
    try:
        answer = module.estimate(*operands, **options)
    except module.Error:
        refused += 1
        continue
    expected = json.loads(said("estimate", *operands, *(f"--{name.replace('_', '-')}={value}" for name, value in options.items())))
    for part in ("accuracy", "open_facts", "trust"):
        answer.pop(part, None)
        expected.pop(part, None)
    assert answer == expected, (operands, options)
    drawn[f"p{len(drawn)}"] = (operands, options, answer)
assert refused < 200, refused


def digits(document):
    values = document["step"]["step_s"], document["memory"]["total_bytes"], document.get("cost", {}).get("step")
    return [value and f"{value:.12g}" for value in values]


not_options = ("mode", "software_chosen", "overrides", "cluster", "data")
with tempfile.TemporaryDirectory() as folder:
    for plan_of in (lambda options, answer: options,
                    lambda options, answer: {key: value for key, value in answer["plan"].items()
                                             if value is not None and key not in not_options}):
        path = os.path.join(folder, "plans.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schema": "nncost.plans/1", "scenarios": [
                {"id": name, "model": model, "device": device, **plan_of(options, answer)}
                for name, ((model, device), options, answer) in drawn.items()]}, file)
        subprocess.run([nncost, "check", path, "--update"], check=True, capture_output=True)
        with open(path, encoding="utf-8") as file:
            recorded = json.load(file)["recorded"]["estimates"]
        for name, (operands, options, answer) in drawn.items():
            assert digits(recorded[name]) == digits(answer), (operands, options)
calls = [{"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": "estimate", "arguments": {
    "model": model, "device": device, "options": options}}} for name, ((model, device), options, _) in drawn.items()]
done = subprocess.run([nncost, "mcp"], input="".join(json.dumps(call) + "\n" for call in calls), capture_output=True, text=True, check=True)
for line in done.stdout.splitlines():
    operands, options, answer = drawn[json.loads(line)["id"]]
    assert digits(json.loads(json.loads(line)["result"]["content"][0]["text"])) == digits(answer), (operands, options)

# A step with partial recomputation keeps at most as many bytes as a step without recomputation, and at least as many
# bytes as a step with full recomputation.
columns = ["model.id", "plan.policy", "plan.recompute", "memory.activation_bytes"]
table = module.sweep(module.models(), "b200", software="torch-eager", policy=["amp", "bf16-pure"], columns=columns, recompute=[
    "none", "attention", "norm", "activation", "mla-up-proj", "moe-act", "shared-experts", "mlp", "moe", "full"])
kept = {}
for model, policy, parts, size in zip(*(table[column] for column in columns)):
    kept.setdefault((model, policy), {})[parts] = size
for plan, sizes in kept.items():
    assert sizes.get("full", 0) <= min(sizes.values()) and max(sizes.values()) <= sizes.get("none", math.inf), (plan, sizes)
assert len(kept) > 100, len(kept)

# Every public function has type annotations for its arguments and its result.
for name in module.__all__:
    function = getattr(module, name)
    if inspect.isfunction(function):
        signature = inspect.signature(function)
        assert signature.return_annotation is not signature.empty, name
        assert all(p.annotation is not p.empty for p in signature.parameters.values()), name
assert os.path.exists(os.path.join(root, "python/nncost/py.typed"))

# The source is valid in the oldest Python version that the wheel names.
for file in ("__init__", "answers"):
    with open(os.path.join(root, f"python/nncost/{file}.py"), encoding="utf-8") as source:
        ast.parse(source.read(), feature_version=(3, 9))
# Without the shared library, the program makes the estimate.
done = subprocess.run([sys.executable, "-c", "import nncost; print(nncost.estimate('gpt2', 'a100', micro_batch=2).step_s)"],
                      env={**os.environ, "NNCOST_LIBRARY": "no-such-library", "PYTHONPATH": os.path.join(root, "python")},
                      capture_output=True, text=True, check=True)
assert float(done.stdout) == module.estimate("gpt2", "a100", micro_batch=2).step_s

print("the module says what the program says")
