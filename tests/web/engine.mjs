// Tests the WebAssembly program of the explorer without a browser: its output, its memory, and a new start after a
// trap.
//   usage: node engine.mjs PROGRAM
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { commands, end, equal, files, page, root, same, test, truth } from "./native.mjs";

const { Engine } = await import(join(root, "web/engine.js"));
const { dataFiles } = await import(join(root, "web/build.mjs"));
const module = new WebAssembly.Module(readFileSync(join(root, "build/web/engine/nncost")));
const engine = new Engine(module, dataFiles());
for (const [name, text] of Object.entries(files)) engine.put(name, text);

truth(commands.length >= 40, "fewer than 40 commands");
for (const words of commands) {
  await test(words.join(" "), () => same(words, engine.run(words)));
}

await test("commands and files that the page leaves out say so", () => {
  for (const words of ["check ./plans.json", "init gpt2 a100", "validate ./config.json", "merge all.json one.json", "explore", "accuracy rows.csv"]) {
    const { code, out, err } = engine.run(words.split(" "));
    equal(err, "nncost: command: is not part of the page, which has no folder, no pipe and no measurements: install nncost\n", words);
    equal(code, 2, words);
    equal(out, "", words);
  }
  engine.put("captured.json", readFileSync(join(root, "tests/text/inputs/captured.json"), "utf8"));
  const { code, err } = engine.run(["estimate", "./captured.json", "a100"]);
  equal(err, "nncost: ./captured.json: a captured program, which the page does not read: install nncost\n");
  equal(code, 3);
});

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

await test("the page is small", () => {
  const size = gzipSync(readFileSync(page), { level: 9 }).length;
  truth(size <= 615_000, `${size} bytes after gzip -9`);
});

await test("a module comes back from its streams", async () => {
  const { join: joined, split } = await import(join(root, "web/streams.js"));
  const number = (value) => [0x80 | (value & 127), 0x80 | ((value >> 7) & 127), 0x80 | ((value >> 14) & 127), 0x80 | ((value >> 21) & 127), 0];
  // The module has one function with one local variable: three i32.const of five bytes (two of them with addresses near
  // the first), a block with a br_table, memory.fill, one i32.load with its usual alignment and one with another
  // alignment, and f64.const. After the function, the module has data with five addresses.
  const body = [1, 1, 0x7f, 0x41, ...number(4194304), 0x21, 0, 0x41, ...number(4194310), 0x41, ...number(4194304), 0x6a, 0x1a, 0x02, 0x40,
    0x20, 0, 0x0e, 1, 0, 0, 0x0b, 0x20, 0, 0x41, 7, 0x41, 3, 0xfc, 11, 0, 0x20, 0, 0x28, 2, 4, 0x1a, 0x20, 0, 0x28, 0, 4, 0x1a,
    0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x1a, 0x0b];
  const words = [4194304, 4194320, 5000000, 4194330, 4194320].flatMap((word) => [word & 255, (word >> 8) & 255, word >> 16, 0]);
  const made = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1,
    10, body.length + 2, 1, body.length, ...body, 11, words.length + 6, 1, 0, 0x41, 0, 0x0b, words.length, ...words]);
  truth(WebAssembly.validate(made), "the module of the test is not valid");
  equal(joined(split(made)).join(), made.join());
  // a select with types; C compilers do not write this instruction
  const other = made.with(made.lastIndexOf(0x44), 0x1c);
  let refused = false;
  try {
    split(other);
  } catch (fault) {
    refused = fault.message === "instruction 28";
  }
  truth(refused, "an unknown instruction is taken");
});

process.exit(end());
