// Runs the native program, to compare its answers with those of the page. Also finds the page and its npm packages.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const root = dirname(dirname(here));
export const page = join(root, "build/web/explorer.html");
export const need = createRequire(join(root, "web/package.json"));
const program = resolve(process.argv[2]);

// Skips the test if something is missing. If NNCOST_WEB_TESTS=require is set, the test fails instead.
export function skip(why) {
  const required = process.env.NNCOST_WEB_TESTS === "require";
  console.log(`web: ${required ? "failed" : "skipped"}: ${why}`);
  process.exit(required ? 1 : 77);
}
if (!existsSync(page)) skip("no build/web/explorer.html, which tools/web builds");
if (!existsSync(join(root, "web/node_modules"))) skip("no web/node_modules, which tools/web installs");

export const folder = mkdtempSync(join(tmpdir(), "nncost-web-"));
const config = { architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: 2048, intermediate_size: 8192,
  num_hidden_layers: 16, num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 128256, max_position_embeddings: 8192,
  tie_word_embeddings: true };
export const files = {
  "config.json": JSON.stringify(config),
  "plans.json": execFileSync(program, ["init", "gpt2", "a100", "--micro-batch", "4"], { encoding: "utf8" }),
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

export const commands = readFileSync(join(here, "commands.txt"), "utf8").split("\n")
  .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(" "));

export function native(words) {
  const environment = { PATH: process.env.PATH, LC_ALL: "C.UTF-8", HOME: "/", NNCOST_PATH: root };
  const done = spawnSync(program, words, { cwd: folder, env: environment, encoding: "utf8", maxBuffer: 1 << 28 });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

// Runs a named test. At the end, end() prints the number of passed and failed tests.
let passed = 0, failed = 0;
export async function test(name, body) {
  try {
    await body();
    passed++;
  } catch (fault) {
    failed++;
    console.log(`FAILED ${name}: ${fault.stack}`);
  }
}
export function end() {
  console.log(`web: ${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

export function equal(now, expected, what = "") {
  if (now !== expected) throw new Error(`${what}\n  expected ${JSON.stringify(expected)?.slice(0, 600)}\n  found ${JSON.stringify(now)?.slice(0, 600)}`);
}
export function truth(value, what) {
  if (!value) throw new Error(what);
}

// Compares the exit code and all bytes of both streams.
export function same(words, found) {
  const expected = native(words);
  for (const part of ["code", "err", "out"]) {
    if (found[part] === expected[part]) continue;
    const [a, b] = [String(expected[part]), String(found[part])];
    let at = 0;
    while (at < a.length && a[at] === b[at]) at++;
    throw new Error(`nncost ${words.join(" ")}: ${part} differs at ${at}\n  native  ${JSON.stringify(a.slice(Math.max(0, at - 60), at + 120))}\n  browser ${JSON.stringify(b.slice(Math.max(0, at - 60), at + 120))}`);
  }
}
