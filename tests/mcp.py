#!/usr/bin/env python3
"""Sends hostile requests to 'nncost mcp', then random requests. The hostile requests test deadlines, cancellation,
forbidden folders, unusual files, long messages, request ids and memory limits.

    usage: mcp.py NNCOST ROOT [COUNT]      COUNT: random requests, by a fixed seed [300]
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 300
os.environ["NNCOST_PATH"] = root
faults = []
SLOW = {"model": "deepseek-v3", "device": "h100", "options": {"devices": "8..65536", "global_batch": 65536}}


def check(what, well):
    if not well:
        faults.append(what)


def request(name, arguments, number=1):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": name, "arguments": arguments}})


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([nncost, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, *lines):
        for line in lines:
            self.process.stdin.write(line if isinstance(line, bytes) else line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, name, arguments):
        self.send(request(name, arguments))
        answer = self.read()["result"]
        return answer["isError"], answer["content"][0]["text"]

    def rss(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

    def end(self):
        self.process.stdin.close()
        return self.process.wait(30)


folder = tempfile.mkdtemp()
inside = os.path.join(folder, "inside")
os.mkdir(inside)
with open(os.path.join(root, "models/gpt2.json"), encoding="utf-8") as file:
    gpt2 = file.read()
for place in (inside, folder):
    with open(os.path.join(place, "gpt2.json"), "w", encoding="utf-8") as file:
        file.write(gpt2)
os.symlink(os.path.join(folder, "gpt2.json"), os.path.join(inside, "out.json"))
os.mkfifo(os.path.join(inside, "pipe.json"))
with open(os.path.join(inside, "large.json"), "wb") as file:
    file.truncate(1 << 30)
with open(os.path.join(folder, "secret.json"), "w", encoding="utf-8") as file:
    file.write('"hunter2 is the password"')

# The answer shortens a long list, and states how many entries the whole list has.
server = Server()
text = server.ask("list", {"what": "devices"})[1]
answer = json.loads(text)
check(f"a long list: {text[-60:]}", len(text) < 2000 and answer["lists_cut_to"] == len(answer["devices"]) < 200 < answer["longest_list"])
server.end()

# The tools read logs and traces only if these files are below --root.
server = Server("--root", root)
error, text = server.ask("watch", {"log": os.path.join(root, "tests/data/watch/megatron.log"), "model": "gpt2", "device": "a100"})
check(f"watch: {text[:80]}", not error and json.loads(text)["program"] == "Megatron-LM" and json.loads(text)["readings"] == 3)
error, text = server.ask("trace", {"file": os.path.join(root, "tests/data/watch/megatron.log")})
check(f"a log as a trace: {text[:80]}", error and "megatron.log" in text)
server.end()

# A call that exceeds its deadline ends, and the server answers the next call.
server = Server("--deadline", "0.5s")
begin = time.monotonic()
error, text = server.ask("scale", SLOW)
check(f"deadline: {text[:80]}", error and "stopped after 0.5 s" in text and time.monotonic() - begin < 2)
check("after a deadline", not server.ask("estimate", {"model": "gpt2", "device": "a100"})[0])

# A cancelled call must end within 0.1 s, without an answer. A call that is cancelled while it waits in the queue must
# never start.
server = Server()
server.send(request("scale", SLOW, 7), request("scale", SLOW, "wait"))
time.sleep(0.3)
begin = time.monotonic()
server.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"wait"}}',
            '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
            '{"jsonrpc":"2.0","id":8,"method":"ping"}')
check("cancelled", server.read()["id"] == 8)
took = time.monotonic() - begin
check(f"cancelled after {took:.2f} s", took < 0.5)  # takes 0.1 s on a machine without other load

# Messages that the server refuses: an id that is too large, a batch, and values that are not requests. Each message
# gets an answer.
server.send('{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', "null", '"x"', "[]",
            '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "{}")
check("an answer to each", [server.read()["id"] for _ in range(6)] == [None] * 6)
error, text = server.ask("estimate", {"model": "gpt2", "device": "a100", "options": {"devices": True}})
check(f"true: {text}", error and "found true" in text)

# Eight threads of a search need more memory than a call may take, so the search runs with fewer threads.
error, text = server.ask("search", {"model": "gpt2", "device": "a100", "options": {"devices": 8, "threads": 8}})
check(f"eight threads: {text[:80]}", not error)

# One message has 300 MB. After a message of 300 MB, the server needs no more memory than before.
server.send(b"x" * 300_000_000 + b"\n")
check("a long message", "too large" in server.read()["error"]["message"])
check("after a long message", not server.ask("estimate", {"model": "gpt2", "device": "a100"})[0])
check(f"memory: {server.rss()}", server.rss() < 64e6)

# Unusual files, such as pipes: the server reads only regular files and never hangs.
for path in ("/dev/zero", "/dev/stdin", "-", "/" * 1100 + "dev/stdin", "/proc/self/fd/0", os.path.join(inside, "pipe.json"),
             os.path.join(inside, "large.json"), "/proc/kmsg", "/dev/tty", inside):
    begin = time.monotonic()
    error, text = server.ask("estimate", {"model": path, "device": "a100"})
    check(f"{path[-30:]}: {text[:80]}", error and time.monotonic() - begin < 9)
    error, text = server.ask("estimate", {"model": "gpt2", "device": "a100", "options": {"cluster": path}})
    check(f"cluster {path[-30:]}: {text[:80]}", error)
check("end", server.end() == 0)
largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
check(f"memory of calls: {largest}", largest < 64e6)

# --root: the server opens no file outside of this folder, under any name.
server = Server("--root", inside)
check("inside", not server.ask("estimate", {"model": os.path.join(inside, "gpt2.json"), "device": "a100"})[0])
for path in (os.path.join(folder, "gpt2.json"), os.path.join(inside, "..", "gpt2.json"), os.path.join(inside, "out.json"),
             os.path.join(folder, "secret.json"), "/etc/passwd", "/proc/self/environ", "/etc/hostname.json"):
    for arguments in ({"model": path, "device": "a100"}, {"model": "gpt2", "device": path},
                      {"model": "gpt2", "device": "a100", "options": {"cluster": path}},
                      {"model": "gpt2", "device": "a100", "options": {"software": path}}):
        error, text = server.ask("estimate", arguments)
        check(f"root: {arguments}: {text[:80]}", error and not any(word in text for word in ("hunter2", "root:", "124,439")))
    check(f"show {path}", server.ask("show", {"id": path})[0])

# Random requests. Each request gets one answer, in order and before the deadline. The server never needs more than 64
# MB.
random.seed(28)
server = Server("--deadline", "2s")
ATOMS = ["gpt2", "llama3-70b", "h100", "a100", "-", "/dev/zero", "nan", "inf", "1e300", "-1", "8..65536", "1,8,64", True, None, 0, -1,
         1e300, 4096, 65536, "", "=", "--output=x", "\u200b", "\x1b[31m", "x" * 5000, [1, 2], {"a": 1}, "all", "full", "megatron"]
KEYS = ["model", "device", "options", "name", "what", "id", "devices", "zero"]
OPTIONS = ["devices", "global_batch", "zero", "tensor", "pipeline", "micro_batch", "set", "software", "cluster", "tokens", "seq_len",
           "schedule", "recompute", "lenient", "threads", "best", "timeline", "scenario", "region", "price", "mode"]
TOOLS = ["estimate", "compare", "search", "scale", "run", "ops", "explain", "list", "show", "x"]
worst = 0.0
for number in range(count):
    arguments = {key: random.choice(ATOMS) for key in random.sample(KEYS, random.randint(0, 3))}
    if random.random() < 0.8:
        arguments.update(model=random.choice(["gpt2", "llama3-8b", "deepseek-v3"]), device=random.choice(["h100", "a100"]))
        arguments = {key: arguments[key] for key in ("model", "device")}
        arguments["options"] = {key: random.choice(ATOMS) for key in random.sample(OPTIONS, random.randint(1, 4))}
    begin = time.monotonic()
    server.send(request(random.choice(TOOLS), arguments, number))
    answer = server.read()
    took = time.monotonic() - begin
    worst = max(worst, took)
    text = answer.get("result", {}).get("content", [{}])[0].get("text", "")
    check(f"answer {number}", answer["id"] == number)
    check(f"{arguments}: {took:.1f} s", took < 4)
    check(f"{arguments}: raw {text[:60]!r}", not any(c in text for c in "\x1b\u200b"))
check(f"memory: {server.rss()}", server.rss() < 64e6)
print(f"{count} random requests, the longest {worst:.2f} s, {server.rss() / 1e6:.0f} MB, {len(faults)} faults")
print("\n".join(faults[:20]))
sys.exit(1 if faults else 0)
