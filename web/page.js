// The main program of the page. The command line is the only state of the page, and every view shows an answer of the
// program.
import { $, el, picture, tooltips } from "./dom.js";
import { Form, searched } from "./form.js";
import { Options, join, split } from "./words.js";
import { zoomable } from "./timeline.js";
import { close, estimateView, explain, figuresView, remember, searchView, textView } from "./views.js";

const started = performance.now();
const begin = "estimate gpt2 a100 --micro-batch 8";
const files = {}; // dropped files, by name
let module, data, engine, options, form, now, pinned = null;

// Unpacks two parts of the page, each in a separate worker: the program, which is then compiled, and the data files.
async function unpack() {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const decoder = bytes(UNPACK), packed = bytes(PACKED);
  const url = URL.createObjectURL(new Blob([UNPACK_SOURCE], { type: "text/javascript" }));
  let from = 0;
  const found = [PARTS.slice(0, -1), PARTS.slice(-1)].map((parts) => new Promise((resolve, reject) => {
    const worker = new Worker(url), begin = from;
    for (const { length } of parts) from += length;
    worker.onmessage = ({ data }) => {
      worker.terminate();
      resolve(data);
    };
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage({ decoder, packed: packed.slice(begin, from), parts });
  }));
  const all = await Promise.all([found[0].then((code) => WebAssembly.compile(code)), found[1]]);
  URL.revokeObjectURL(url);
  return all;
}

// A worker with its own copy of the program. ask(runs, line, more) returns the answers of command lines. more: files in
// addition to the dropped files.
class Remote {
  constructor() {
    this.url = URL.createObjectURL(new Blob([ENGINE_SOURCE], { type: "text/javascript" }));
    this.worker = new Worker(this.url);
    this.waiting = new Map();
    this.last = 0;
    this.worker.onmessage = ({ data: { id, answers, line, ms } }) => {
      const one = this.waiting.get(id);
      if (line !== undefined) return one?.line?.(line);
      this.waiting.delete(id);
      one?.resolve({ answers, ms });
    };
    // a letter has a width of 8.2 pixels
    this.worker.postMessage({ id: 0, module, data, files, columns: Math.min(100, Math.floor(width() / 8.2)) });
  }
  ask(runs, line, more) {
    const id = ++this.last;
    this.worker.postMessage({ id, runs, files: { ...files, ...more } });
    return new Promise((resolve) => this.waiting.set(id, { resolve, line }));
  }
  stop() {
    this.worker.terminate();
    URL.revokeObjectURL(this.url);
  }
}

const say = (text) => ($("said").textContent = text);

function fail(answer) {
  say(answer.err.trim() || `nncost ended with ${answer.code}`);
  $("said").classList.add("error");
  $("main").classList.add("old");
}

const width = () => Math.max(300, Math.min(1000, $("main").clientWidth - 34 || 720));

async function showEstimate(parsed, turn) {
  const rest = options.build(parsed, "estimate").slice(1);
  const told = (command, ...more) => [...options.build(parsed, command), ...more];
  const outlined = pinned ? ["--against", join(pinned.words)] : [];
  const plot = (name) => ["plot", name, ...told("plot").slice(1), ...outlined, "--fragment", "--width", String(width())];
  const names = ["step", "memory", "timeline", "roofline"];
  const { answers, ms } = await engine.ask([["estimate", ...rest, "--format", "json"], ...names.map(plot)]);
  if (turn !== now) return;
  if (answers[0].code > 1) return fail(answers[0]);
  const result = JSON.parse(answers[0].out);
  const drawn = names.map((name, i) => ({ name, svg: answers[1 + i].out }))
    .filter(({ name, svg }) => svg && (name !== "timeline" || result.plan.pipeline > 1));
  const changes = pinned && (await engine.ask([["diff", "pinned", "now"]], null, { pinned: pinned.text, now: answers[0].out })).answers[0];
  if (turn !== now) return;
  const shown = { words: now, text: answers[0].out };
  $("pin").onclick = () => {
    pinned = pinned ? null : shown;
    show(now);
  };
  $("pin").setAttribute("aria-pressed", String(pinned !== null));
  const release = () => $("pin").click();
  const apply = (text) => go([...now, ...split(text)]);
  $("main").replaceChildren(...estimateView({ result, pictures: drawn, pinned, changes, apply, release, searches: searches(parsed, result) }));
  const box = $("main").querySelector("[data-picture='timeline']");
  if (box) box.after(zoomable(box, result.step.step_s, (from, to) => redraw(box, [...plot("timeline"), ...(from > 0 ? ["--from", String(from)] : []), "--to", String(to)])));
  document.documentElement.dataset.ms = ms.toFixed(1);
}

// Draws another part of a picture. If several parts are requested while one part is drawn, draws only the last
// requested part.
async function redraw(box, words) {
  box.asked = words;
  if (box.busy) return;
  box.busy = true;
  const { answers: [drawn] } = await engine.ask([words]);
  box.busy = false;
  if (box.asked !== words) return redraw(box, box.asked);
  if (drawn.code === 0) box.replaceChildren(picture(drawn.out));
}

// Returns a command that searches all plans with the devices and the batch of a result.
function searchOf(parsed, result, devices) {
  const others = ["--devices", "--data", "--shard", "--micro-batches", "--global-batch", "--recompute-every", "--recompute-layers"];
  const kept = { ...parsed, given: parsed.given.filter((one) => !searched.has(one.name) && !others.includes(one.name)) };
  return [...options.build(kept, "search"), "--devices", devices, "--global-batch", String(result.plan.global_batch)];
}

function searches(parsed, result) {
  const { devices } = result.plan;
  const most = Math.max(devices * 8, 8);
  const start = (count) => () => go(searchOf(parsed, result, count));
  return el("section", { class: "card" }, el("h2", {}, "Plans"),
    el("button", { type: "button", id: "search", onclick: start(String(devices)) }, `Search all plans for ${devices} device${devices > 1 ? "s" : ""}`), " ",
    el("button", { type: "button", id: "scale", onclick: start(`${Math.min(devices, 8)}..${most}`) }, `Scale out to ${most} devices`));
}

let working = [];
function stopWork() {
  working.forEach((one) => one.stop());
  working = [];
}

// Runs long commands, each in its own worker. Shows the progress of the commands and a button Stop.
async function work(commands) {
  stopWork();
  const bar = el("progress", { max: "1", "aria-label": "Plans looked at" });
  const told = el("p", { role: "status" }, "Searching…");
  const stop = el("button", { type: "button", id: "stop", onclick: () => {
    stopWork();
    told.textContent = "Stopped.";
    stop.remove();
    document.documentElement.dataset.searched = "stopped";
  } }, "Stop");
  $("main").replaceChildren(el("section", { class: "card" }, el("h2", {}, "Plans"), told, bar, stop));
  const parts = commands.map(() => null);
  const line = (part) => (text) => {
    if (!text.startsWith("{")) return;
    parts[part] = JSON.parse(text);
    if (parts.includes(null)) return;
    const [done, of, rate] = ["done", "of", "per_s"].map((key) => parts.reduce((sum, one) => sum + one[key], 0));
    bar.value = done / of;
    told.textContent = `${done.toLocaleString("en-US")} of ${of.toLocaleString("en-US")} plans, ${Math.round(rate).toLocaleString("en-US")}/s`;
  };
  working = commands.map(() => new Remote());
  const all = await Promise.all(commands.map((words, part) => working[part].ask([words], line(part))));
  stopWork();
  return all.map(({ answers }) => answers[0]);
}

// Searches with one worker per core; each worker searches a part of the plans. Merges and draws the results.
async function showSearch(parsed, turn) {
  const began = performance.now();
  const has = (...names) => parsed.given.some((one) => names.includes(one.name));
  const words = options.build({ ...parsed, given: parsed.given.filter((one) => one.name !== "--progress") }, "search");
  if (has("--shard", "--shards", "--target-step", "--plans", "--serve") || parsed.operands[1]?.includes(",")) {
    const [answer] = await work([[...words, "--progress", "json"]]);
    return turn === now && showAnswer(answer);
  }
  const sizes = parsed.given.some((one) => one.name === "--devices" && /[,.]/.test(one.value));
  const count = Math.min(Math.max(navigator.hardwareConcurrency || 2, 1), 8);
  const names = Array.from({ length: count }, (_, i) => `.shard-${i + 1}`);
  const found = await work(names.map((_, i) => [...words, "--shard", `${i + 1}/${count}`, "--progress", "json", "--format", "json"]));
  if (turn !== now) return;
  const refused = found.find((one) => one.code > 1);
  if (refused) return fail(refused);
  const shards = ["--shards", names.join(",")];
  const some = found.map((one) => JSON.parse(one.out)).flatMap((one) => one.best ?? one.sizes.map((size) => size.best)).find(Boolean);
  // the search chose a batch
  const batch = has("--global-batch") || !some ? [] : ["--global-batch", String(some.plan.global_batch)];
  const plotted = ["plot", sizes ? "scaling" : "front", ...options.build(parsed, "plot").slice(1), ...batch, ...shards, "--fragment", "--width", String(width())];
  const { answers: [all, drawn] } = await engine.ask([[...words, ...shards, "--format", "json"], plotted], null,
    Object.fromEntries(names.map((name, i) => [name, found[i].out])));
  if (turn !== now) return;
  if (all.code > 1) return fail(all);
  document.documentElement.dataset.searched = (performance.now() - began).toFixed(0);
  $("main").replaceChildren(el("section", { class: "card" }, el("h2", {}, "Plans"),
    ...searchView(JSON.parse(all.out), drawn, (command) => go(split(command)))));
}

// Shows a result that has no pictures: its figures and the text of the program.
async function showFigures(parsed, turn) {
  const words = options.build(parsed, parsed.command);
  const { answers: [json, text] } = await engine.ask([[...words, "--format", "json"], words]);
  if (turn !== now) return;
  if (json.code > 1) return fail(json);
  $("main").replaceChildren(...figuresView(JSON.parse(json.out), text));
}

function showAnswer(answer) {
  if (answer.code > 1) return fail(answer);
  $("main").replaceChildren(el("section", { class: "card" }, ...textView(answer)));
}

async function showText(words, turn) {
  const long = /^(search|sweep|scale|plot (front|scaling)|report search)\b/.test(words.join(" "));
  const answer = long ? (await work([words]))[0] : (await engine.ask([words])).answers[0];
  if (turn === now) showAnswer(answer);
}

async function show(words) {
  now = words;
  $("words").value = join(words);
  $("printed").textContent = `$ nncost ${join(words)}`; // used on paper, where the input field cuts a long command
  history.replaceState(null, "", `#${encodeURIComponent(join(words))}`);
  say("");
  $("said").classList.remove("error");
  const parsed = options.parse(words);
  const special = parsed.given.some((one) => ["--help", "--format", "--output", "--trace"].includes(one.name));
  const view = { estimate: showEstimate, search: showSearch, run: showFigures, serve: showFigures }[words[0]];
  $("pin").hidden = view !== showEstimate || special;
  form.show(parsed);
  if (view && !special) {
    await view(parsed, words);
  } else {
    await showText(words, words);
  }
  if (now === words && !$("said").classList.contains("error")) $("main").classList.remove("old");
  document.documentElement.dataset.ready = String(Number(document.documentElement.dataset.ready ?? 0) + 1);
}

function go(words) {
  stopWork();
  return show(words.length > 0 ? words : split(begin));
}

async function explainAt(target) {
  const parsed = options.parse(now);
  const serving = parsed.command === "serve";
  if (!serving && !/^(estimate|search|run)$/.test(parsed.command)) return;
  const words = ["explain", target.dataset.explain, ...options.build(parsed, serving ? "serve" : "explain").slice(1), ...(serving ? ["--serve"] : [])];
  const { answers: [answer] } = await engine.ask([[...words, "--format", "json"]]);
  if (answer.code > 1) return say(answer.err.trim());
  explain(JSON.parse(answer.out), words);
}

const nameOf = (name) => `./${name.replace(/[^\w.-]/g, "_").replace(/^\.+/, "").slice(0, 80) || "file.json"}`;

// Reads a dropped file. The program decides whether the file is a model or a device.
async function take(file) {
  if (file.size > 1 << 20) return say(`${file.name}: larger than 1 MiB, which no model or device file is`);
  const name = nameOf(file.name);
  files[name.slice(2)] = await file.text();
  const parsed = options.parse(now);
  const [model, device] = /^(estimate|search)$/.test(parsed.command) ? parsed.operands : ["gpt2", "a100"];
  const { answers: [shown, asModel, asDevice] } = await engine.ask([["show", name, "--format", "json"],
    ["estimate", name, device, "--format", "json"], ["estimate", model, name, "--format", "json"]]);
  if (asModel.code <= 1) await go(["estimate", name, device]);
  else if (asDevice.code <= 1) await go(["estimate", model, name]);
  else return fail(shown.code > 1 ? shown : asModel);
  say(`${name} stays on this page: a link does not carry it.`);
}

function listen() {
  $("line").addEventListener("submit", (event) => {
    event.preventDefault();
    go(split($("words").value));
  });
  const copy = (id, text) => $(id).addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      say("Copied.");
    } catch {
      say(text()); // the browser does not allow copying, so the user copies the text by hand
    }
  });
  copy("copy-command", () => `nncost ${join(now)}`);
  copy("copy-link", () => location.href);
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-explain]");
    if (!target) return;
    remember();
    explainAt(target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    const mark = event.target.closest?.(".spot");
    if (mark && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      mark.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 0) take(event.dataTransfer.files[0]);
  });
  const helps = async () => form.explain(JSON.parse((await engine.ask([["docs", "options"]])).answers[0].out).commands);
  let asked = false;
  for (const use of ["pointerover", "focusin"]) $("form").addEventListener(use, () => asked || ((asked = true), helps()));
  $("file").addEventListener("change", (event) => event.target.files[0] && take(event.target.files[0]));
  addEventListener("hashchange", () => go(split(decodeURIComponent(location.hash.slice(1)))));
  let old = width();
  addEventListener("resize", () => {
    if (Math.abs(width() - old) < 20 || now[0] !== "estimate") return;
    old = width();
    show(now);
  });
  tooltips($("tip"));
}

async function main() {
  const [compiled, text] = await unpack();
  const carried = JSON.parse(new TextDecoder().decode(text)), lists = carried.form;
  data = Object.fromEntries(Object.entries(carried.data).map(([path, value]) => [path, JSON.stringify(value)]));
  module = compiled;
  engine = new Remote();
  options = new Options(lists.commands.map(([name, places]) => ({ name, options: places.map((at) => lists.options[at]) })));
  lists.devices.sort((a, b) => b.year - a.year || a.name.localeCompare(b.name));
  form = new Form(options, lists, (parsed) => go(options.build(parsed, parsed.command)));
  $("version").textContent = lists.version;
  $("file").form.addEventListener("submit", (event) => event.preventDefault());
  listen();
  const start = document.querySelector("meta[name=nnc-start]").content;
  await go(split(decodeURIComponent(location.hash.slice(1)) || start || begin));
  document.documentElement.dataset.started = (performance.now() - started).toFixed(0);
  // an interface that scripts and tests can call
  window.nncost = { run: async (words) => (await engine.ask([words])).answers[0] };
}

main().catch((fault) => say(`The explorer cannot start here: ${fault.message}`));
