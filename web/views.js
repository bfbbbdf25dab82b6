// Shows the answer of a command line: an estimate with its pictures, a search, or plain text.
import { $, el, picture, rove } from "./dom.js";
import { unit, unitOf } from "./numbers.js";
import { join } from "./words.js";

const at = (value, path) => path.split(".").reduce((inner, key) => inner?.[key], value);

// Makes a number that a user can click for its explanation. A long name can be wrapped after each of its parts.
const figure = (path, text, name) => el("button", { type: "button", class: "figure", "data-explain": path },
  ...(name ? [el("small", {}, name), el("b", {}, text)] : text.split(/(?<=[a-z][._])/).flatMap((part) => [part, el("wbr")])));

const tiles = [["First token", "latency.ttft_s"], ["Per token", "latency.tpot_s"], ["Tokens/s", "throughput.output_tokens_per_s"],
  ["Requests/s", "throughput.requests_per_s"], ["Price of 1 M tokens out", "cost.per_million_output_tokens"], ["Whole run", "run.run_s"],
  ["Its price", "run.cost"], ["Goodput", "run.goodput"], ["Energy", "run.energy_j"], ["Step", "step.step_s"], ["Tokens/s", "throughput.tokens_per_s"], ["Samples/s", "throughput.samples_per_s"],
  ["MFU", "throughput.mfu"], ["Memory used", "memory.total_bytes"], ["Device memory", "memory.capacity_bytes"],
  ["Bound by", "step.bound"], ["Price of 1 M tokens", "cost.per_million_tokens"], ["Price of 1,000 samples", "cost.per_thousand_samples"]];

function textOf(result, path) {
  const value = at(result, path);
  const money = /^cost\.(per_|step$|run$)|^run\.cost/.test(path);
  const amount = (number) => (number >= 1000 ? Math.round(number).toLocaleString("en-US") : Number(number.toPrecision(4)));
  if (money && typeof value === "number") return `${amount(value)} ${result.cost.currency}`;
  if (Array.isArray(value)) return value.map((one) => unit(one, unitOf(path))).join(" to ");
  return unit(value, typeof value === "number" ? unitOf(path) : "");
}

function figures(result) {
  const shown = tiles.filter(([, path]) => at(result, path) !== null && at(result, path) !== undefined)
    .filter(([name], i, all) => name !== "Samples/s" || !all.some(([other]) => other === "Tokens/s"));
  const box = el("div", { class: "tiles", role: "group", "aria-label": "Main figures" },
    ...shown.map(([name, path]) => figure(path, textOf(result, path), name)));
  rove(box, ".figure");
  return box;
}

function advice(result, apply) {
  const list = result.memory.advice ?? [];
  if (list.length === 0) return null;
  return el("p", { class: "advice" }, "It would fit with ", ...list.map((one) => el("button", { type: "button",
    onclick: () => apply(one.text) }, `${one.text}: ${unit(one.total_bytes, "B")}, ${unit(one.step_s, "s")}`)));
}

// Makes a table; a click on a heading sorts it. columns: [head, cell(row), value(row) or null, class].
export function table(caption, columns, rows, attributes = () => ({})) {
  const body = el("tbody");
  const kind = ([, , value, name = ""]) => `${value ? "n" : ""} ${name}`.trim() || null;
  const heads = columns.map(([head, ...rest], i) => el("th", { scope: "col", class: kind([head, ...rest]) },
    el("button", { type: "button", onclick: (event) => sort(event, i) }, head)));
  const fill = (list) => body.replaceChildren(...list.map((row) => el("tr", attributes(row),
    ...columns.map((column) => el("td", { class: kind(column) }, column[1](row))))));
  const sort = (event, i) => {
    const head = event.target.closest("th");
    const down = head.getAttribute("aria-sort") !== "descending";
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = columns[i][2] ?? columns[i][1];
    const order = (a, b) => (typeof key(a) === "number" ? (key(b) ?? -1) - (key(a) ?? -1) : String(key(a)).localeCompare(String(key(b))));
    fill([...rows].sort((a, b) => (down ? order(a, b) : order(b, a))));
    roveRows();
  };
  const made = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads)), body);
  const roveRows = () => rove(body, "button");
  fill(rows);
  rove(made.tHead, "button");
  roveRows();
  return el("div", { class: "scroll" }, made);
}

function ops(result) {
  const rows = [...result.ops].sort((a, b) => b.share - a.share).slice(0, 80);
  const more = result.ops.length > rows.length ? `, ${rows.length} of ${result.ops.length}` : "";
  return table(`Ops by time${more}`, [
    ["op", (row) => figure(row.path, row.path)],
    ["phase", (row) => row.phase],
    ["shape", (row) => el("span", { class: "shape" }, row.shape), null, "wide"],
    ["repeats", (row) => unit(row.repeat, ""), (row) => row.repeat, "wide"],
    ["time", (row) => unit(row.time_s, "s"), (row) => row.time_s],
    ["share", (row) => unit(row.share, "%"), (row) => row.share],
    ["bound", (row) => row.bound ?? ""],
  ], rows, (row) => ({ "data-key": `${row.name}/${row.phase}` }));
}

// Lists every number of a result with its full name.
function* numbers(value, path = "") {
  if (typeof value === "number") yield path;
  else if (Array.isArray(value) && value.every((one) => typeof one === "number")) yield path;
  else if (value && typeof value === "object" && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) yield* numbers(inner, path ? `${path}.${key}` : key);
  }
}

function allFigures(result) {
  const list = el("dl", { class: "all" });
  for (const path of numbers(result)) {
    list.append(el("dt", {}, path), el("dd", {}, figure(path, textOf(result, path))));
  }
  rove(list, ".figure");
  return el("details", {}, el("summary", {}, "All figures"), list);
}

// Compares a result with the pinned result. Lists the differences and their causes.
const against = (pinned, changes, release) => el("section", { class: "pinned card" }, el("p", {}, "Outlined in the pictures: ",
  el("code", {}, `nncost ${join(pinned.words)}`), " ", el("button", { type: "button", onclick: release }, "Unpin")), ...textView(changes));

export function estimateView({ result, pictures, pinned, changes, apply, release, searches }) {
  const cards = pictures.map(({ name, svg }) => el("section", { class: "card" },
    el("div", { class: "scroll", "data-picture": name }, picture(svg))));
  return [el("p", { id: "verdict", class: result.memory.fits ? "" : "too-big", "aria-live": "polite" }, result.sentence),
    advice(result, apply), figures(result), pinned ? against(pinned, changes, release) : null, ...cards,
    el("section", { class: "card" }, ops(result)), el("section", { class: "card" }, allFigures(result)), searches]
    .filter((one) => one !== null);
}

// Returns the settings of a plan as text. Leaves out settings that are off, none, 0 or 1, and the settings in
// `skipped`.
const plan = (found, skipped) => Object.entries(found.plan).filter(([key, value]) => value !== false && value !== "none" &&
  value !== 1 && value !== 0 && !skipped.includes(key)).map(([key, value]) => (value === true ? key : `${key} ${value}`))
  .join(", ").replaceAll("_", " ") || "data parallelism alone";

export function searchView(document, front, use) {
  const list = document.sizes ? document.sizes.filter((one) => one.best).map((one) => one.best) : document.best;
  const svg = front.code > 1 ? el("p", {}, front.err) : picture(front.out);
  const marks = [...svg.querySelectorAll("[data-key]")];
  const drawn = [...document.best ?? [], ...document.pareto ?? []];
  marks.forEach((mark, i) => drawn[i] && mark.addEventListener("click", () => use(drawn[i].command)));
  const skipped = ["global_batch", "data", "micro_batches", "schedule", ...(document.sizes ? [] : ["devices"])];
  const columns = [["plan", (one) => el("button", { type: "button", class: "figure", onclick: () => use(one.command) }, plan(one, skipped))],
    ["step", (one) => unit(one.step_s, "s"), (one) => one.step_s],
    ["memory", (one) => unit(one.memory_bytes, "B"), (one) => one.memory_bytes],
    ["MFU", (one) => unit(one.mfu, "%"), (one) => one.mfu, "wide"]];
  return [el("p", {}, `${document.space.toLocaleString("en-US")} combinations, ${document.legal.toLocaleString("en-US")} legal, ${document.feasible.toLocaleString("en-US")} fit. A click on a plan makes it the command line; what is not said of one is divided by data parallelism.`),
    el("div", { class: "scroll" }, svg), list.length > 0 ? table("Best plans", columns, list) : el("p", {}, "No plan fits.")];
}

export const figuresView = (result, text) => [el("section", { class: "card" }, figures(result)),
  el("section", { class: "card" }, ...textView(text)), el("section", { class: "card" }, allFigures(result))];

// Shows the output of a command: text or a picture. A whole HTML page is offered as a file.
export function textView({ out, err }) {
  if (out.startsWith("<svg")) return [el("div", { class: "scroll" }, picture(out))];
  if (!out.startsWith("<!DOCTYPE html>")) return [el("pre", { class: "text", tabindex: "0" }, out || err)];
  const href = URL.createObjectURL(new Blob([out], { type: "text/html" }));
  return [el("p", {}, "The report is a page of its own: ", el("a", { href, download: "nncost-report.html" }, "nncost-report.html"),
    `, ${unit(out.length, "B")}, opens from disk and fetches nothing.`)];
}

// Shows the output of 'nncost explain' in a panel.
export function explain(answers, words) {
  const lines = [answers].flat().flatMap((one) => one.lines.map((line) => ({ ...line, quantity: one.quantity })));
  $("panel").replaceChildren(el("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "×"),
    el("h2", {}, lines[0]?.quantity ?? ""), ...lines.slice(0, 40).map((line) => el("section", {},
      el("h3", {}, line.of && line.of !== line.name ? `${line.of}: ${line.name}` : line.name),
      line.meaning ? el("p", {}, line.meaning) : null, line.text ? el("p", {}, line.text) : null,
      line.formula ? el("p", {}, el("code", {}, line.formula)) : null,
      line.numbers ? el("p", {}, el("code", {}, `= ${line.numbers}`)) : null,
      line.result !== null ? el("p", {}, el("b", {}, `= ${unit(line.result, line.unit ?? "")}`),
        ` (${line.result}${line.unit ? ` ${line.unit}` : ""})`) : null,
      line.note ? el("p", {}, line.note) : null, line.source ? el("p", { class: "dim" }, line.source) : null)),
    el("p", {}, el("code", {}, `nncost ${join(words)}`)));
  $("panel").hidden = false;
  $("panel").focus();
}

let before = null; // the element that had the focus before the panel opened
export const remember = () => (before = document.activeElement);
export function close() {
  if ($("panel").hidden) return;
  $("panel").hidden = true;
  if (before?.isConnected) before.focus();
}
