// Packs the explorer page into one file.
//   usage: node build.mjs ENGINE.wasm UNPACK.wasm PACK EXPLORER.html
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { Engine } from "./engine.js";
import { join as joined, orders, split } from "./streams.js";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const [wasm, unpack, packer, page] = process.argv.slice(2);

// Removes spaces and notes, which the program does not read. Numbers and other texts stay unchanged.
const bare = (text) => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1")
  .replace(/,"note":"(?:[^"\\]|\\.)*"|"note":"(?:[^"\\]|\\.)*",?/g, "");
export function dataFiles() {
  const files = {};
  for (const folder of ["hw", "models", "software", "clusters", "prices", "grid", "hosts", "foreign", "foreign/graphs", "foreign/names", "hub"]) {
    for (const name of readdirSync(join(root, folder)).sort()) {
      // Only `accuracy` and launch files read words.json and scripts.json, and the page has neither.
      if (!name.endsWith(".json") || name === "words.json" || name === "scripts.json") continue;
      const text = readFileSync(join(root, folder, name), "utf8");
      JSON.parse(text); // a broken file is found here
      files[`${folder}/${name}`] = bare(text);
    }
  }
  return files;
}

const bundle = (name) => buildSync({ entryPoints: [join(here, name)], bundle: true, minify: true, write: false, format: "iife",
  target: "es2022", charset: "utf8", legalComments: "none" }).outputFiles[0].text;
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function main() {
  const code = readFileSync(wasm);
  const data = dataFiles();
  // The program gives the colours of the pictures.
  const program = new Engine(new WebAssembly.Module(code), data);
  const drawn = program.run(["plot", "step", "gpt2", "a100"]);
  const colours = /<style>([^]*?)<\/style>/.exec(drawn.out);
  if (colours === null) throw new Error(`no style in the picture of a step: ${drawn.err}`);
  const css = readFileSync(join(here, "page.css"), "utf8");
  const style = colours[1] + buildSync({ stdin: { contents: css, loader: "css" }, minify: true, write: false }).outputFiles[0].text;
  // The page contains the lists of the form, so it can show the form before the program runs.
  // An option that many commands have is stored once. The help of options is left out: the page asks the program for it
  // when the form is first used.
  const json = (...words) => JSON.parse(program.run([...words]).out);
  const only = (keys) => (one) => Object.fromEntries(keys.map((key) => [key, one[key]]));
  const list = (kind, ...keys) => ({ [kind]: json("list", kind, "--format", "json")[kind].map(only(keys)) });
  const options = new Map();
  const known = only(["name", "alias", "group", "kind", "choices", "unit", "default"]);
  const place = (text) => options.get(text) ?? options.set(text, options.size).get(text);
  const commands = json("docs", "options").commands.map((one) => [one.name, one.options.map((option) => place(JSON.stringify(known(option))))]);
  const form = { commands, options: [...options.keys()].map((text) => JSON.parse(text)), ...list("models", "id", "name", "family"),
    ...list("devices", "id", "name", "year", "aliases"), ...list("software", "id"), version: program.run(["--version"]).out.trim() };
  const streams = split(code);
  if (Buffer.compare(joined(streams), code) !== 0) throw new Error("the program is not the one that the page will put together");
  // The data files are values here and not texts, because a text in JSON has a backslash before each quote.
  const values = Object.entries(data).map(([path, text]) => `${JSON.stringify(path)}:${text}`);
  const parts = [...streams, Buffer.from(`{"data":{${values.join(",")}},"form":${JSON.stringify(form)}}`)];
  const packed = parts.map((part, i) => execFileSync(packer, [String(orders[i])], { input: part, maxBuffer: 1 << 26 }));
  const texts = { ENGINE_SOURCE: bundle("engine.js"), UNPACK_SOURCE: bundle("unpack.js"), UNPACK: readFileSync(unpack).toString("base64"),
    PACKED: Buffer.concat(packed).toString("base64"),
    PARTS: parts.map((part, i) => ({ length: packed[i].length, size: part.length, order: orders[i] })) };
  const constants = Object.entries(texts).map(([name, text]) => `const ${name}=${JSON.stringify(text).replaceAll("</", "<\\/")};`).join("\n");
  const script = `${constants}\n${bundle("page.js")}`;
  const policy = [`default-src 'none'`, `script-src ${hash(script)} blob: 'wasm-unsafe-eval'`, `style-src ${hash(style)}`,
    "worker-src blob:", "img-src data:", "base-uri 'none'", "form-action 'none'"].join("; ");
  const html = readFileSync(join(here, "index.html"), "utf8").replace("CONTENT-POLICY", () => policy)
    .replace("PAGE-STYLE", () => style).replace("PAGE-SCRIPT", () => script);
  writeFileSync(page, html);
  const sizes = { "engine": code.length, "engine gzipped": gzipSync(code, { level: 9 }).length, "page": Buffer.byteLength(html),
    "page gzipped": gzipSync(html, { level: 9 }).length };
  console.log(Object.entries(sizes).map(([name, size]) => `${name} ${(size / 1000).toFixed(0)} kB`).join(", "));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
