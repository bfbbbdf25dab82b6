#!/usr/bin/env python3
"""Tests that every interface refuses an unknown name and names the nearest known one.

Leaves out one letter of each option of the plan, in MCP, in a plan file and in the Python module, which passes options
to the C library. For MCP, also puts the option next to the operands instead of inside "options". The test must try at
least 200 misspelt or misplaced options, and nncost must refuse all of them.

    usage: strict.py NNCOST SHARED_LIBRARY ROOT
"""
import json
import os
import subprocess
import sys
import tempfile

nncost, library, root = (os.path.abspath(path) for path in sys.argv[1:4])
os.environ["NNCOST_PATH"] = os.environ["NNCOST_DATA"] = root
os.environ["NNCOST_LIBRARY"] = library
sys.path.insert(0, os.path.join(root, "python"))
import nncost as module  # noqa: E402

faults, cases = [], 0
plan_file = os.path.join(tempfile.mkdtemp(), "plan.json")


def judge(interface, name, refused, said):
    global cases
    cases += 1
    if not refused:
        faults.append(f"{interface}: {name}: answered")
    elif not said:
        faults.append(f"{interface}: {name}: refused without naming a known name")


def mcp(calls):
    lines = [json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": call})
             for i, call in enumerate(calls)]
    done = subprocess.run([nncost, "mcp"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line)["result"] for line in done.stdout.splitlines()]


listed = subprocess.run([nncost, "mcp"], input='{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
                        capture_output=True, text=True, check=True)
tools = {tool["name"]: tool["inputSchema"] for tool in json.loads(listed.stdout)["result"]["tools"]}
options = sorted(tools["estimate"]["properties"]["options"]["properties"])
fields = [key for key in module.estimate("gpt2", "a100")["plan"] if key in options and key != "cluster"]


def misspelt(name):
    """Returns the name without its middle letter; if this is the name of another option, returns the name with a z
    appended."""
    wrong = name[: len(name) // 2] + name[len(name) // 2 + 1:]
    return wrong if len(wrong) > 3 and wrong not in options else name + "z"


operands = {"model": "gpt2", "device": "a100"}
calls = [{"name": "estimate", "arguments": {**operands, name: 1}} for name in options]
calls += [{"name": "estimate", "arguments": {**operands, "options": {misspelt(name): 1}}} for name in options]
for call, result in zip(calls, mcp(calls)):
    text = result["content"][0]["text"]
    judge("mcp", json.dumps(call["arguments"]), result["isError"], "expected" in text or "did you mean" in text)

# If an option has a fixed set of values (words or numbers), the schema lists these values as an enum, and the message
# about a value outside this set must list the values of the set.
calls, closed = [], 0
for name, schema in sorted(tools["estimate"]["properties"]["options"]["properties"].items()):
    for value in schema.get("enum", []):
        calls.append((name, value, {"name": "estimate", "arguments": {**operands, "options": {name: value}}}))
    if "enum" in schema:
        closed += 1
        calls.append((name, None, {"name": "estimate", "arguments": {**operands, "options": {name: "nonesuch"}}}))
for (name, value, _), result in zip(calls, mcp([call for _, _, call in calls])):
    text = result["content"][0]["text"]
    if value is None:
        judge("mcp", f"{name}: nonesuch", result["isError"], "expected" in text)
    elif result["isError"] and "unknown value" in text:
        faults.append(f"mcp: {name}: {value} is in the schema: {text}")
assert closed > 12 and tools["estimate"]["properties"]["options"]["properties"]["zero"]["enum"][:2] == [0, "0"]
assert tools["list"]["properties"]["what"]["enum"] == ["devices", "models", "software"]

for name in fields:
    wrong = misspelt(name)
    plan = {"schema": "nncost.plans/1", "scenarios": [{"id": "x", "model": "gpt2", "device": "a100", wrong: 1}]}
    with open(plan_file, "w", encoding="utf-8") as file:
        json.dump(plan, file)
    done = subprocess.run([nncost, "check", plan_file], capture_output=True, text=True, check=False)
    judge("plan file", wrong, done.returncode == 3, "perhaps" in done.stderr)
    try:
        module.estimate("gpt2", "a100", **{wrong: 1})
        judge("python", wrong, False, False)
    except module.Error as error:
        judge("python", wrong, True, "perhaps" in str(error) or "did you mean" in str(error))
os.remove(plan_file)
os.rmdir(os.path.dirname(plan_file))

print(f"{cases} misspelt or misplaced names, {len(faults)} faults")
print("\n".join(faults[:20]))
sys.exit(1 if faults or cases < 200 else 0)
