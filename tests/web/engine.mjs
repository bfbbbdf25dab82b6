// The engine of the explorer without a browser: its output, its memory, what it survives.
//   usage: node engine.mjs PROGRAM
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands, end, equal, files, root, same, test, truth } from "./native.mjs";

const { Engine } = await import(join(root, "web/engine.js"));
const { dataFiles } = await import(join(root, "web/build.mjs"));
const module = new WebAssembly.Module(readFileSync(join(root, "build/web/engine/nncost")));
const engine = new Engine(module, dataFiles());
for (const [name, text] of Object.entries(files)) engine.put(name, text);

truth(commands.length >= 40, "fewer than 40 commands");
for (const words of commands) {
  await test(words.join(" "), () => same(words, engine.run(words)));
}

await test("1,000 calls in one instance take no memory", () => {
  const words = ["estimate", "gpt2", "a100", "--format", "json"];
  for (let i = 0; i < 20; i++) engine.run(words);
  const before = engine.instance.exports.memory.buffer.byteLength;
  const first = engine.run(words).out;
  for (let i = 0; i < 1000; i++) engine.run(words);
  equal(engine.instance.exports.memory.buffer.byteLength, before, "bytes");
  equal(engine.run(words).out, first);
});

await test("a trap is survived", () => {
  engine.instance = { exports: { ...engine.instance.exports, nnc_run: () => { throw new WebAssembly.RuntimeError("unreachable"); } } };
  equal(engine.run(["--version"]).code, 70);
  same(["--version"], engine.run(["--version"]));
});

await test("progress comes line by line, as JSON", () => {
  const lines = [];
  engine.run(["search", "llama3-8b", "h100", "--devices", "64", "--global-batch", "512", "--progress", "json", "--format", "json"],
    (line) => lines.push(JSON.parse(line)));
  truth(lines.length > 0 && lines.at(-1).done === lines.at(-1).of, `${lines.length} lines`);
});

process.exit(end());
