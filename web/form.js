// The form of the page. The form is made from the options of the program, and reads and writes the command line.
import { change } from "./words.js";
import { $, el } from "./dom.js";

// The commands that have a form, with the title of each command and the group of options that is open at first.
export const questions = { estimate: ["One step", "Batch"], search: ["The best plans", "Batch"],
  run: ["The whole run", "Cost"], serve: ["Serving", "Requests"] };
const groups = ["Requests", "Batch", "Parallelism", "Memory", "Numbers", "Engine", "Images", "Cost", "Run", "Failures", "Checkpoints", "Sites", "Input", "Energy"];
const hidden = new Set(["--cluster", "--lenient", "--scenario"]);

// Options whose values a search tries if the command line does not give them.
export const searched = new Set(["--tensor", "--pipeline", "--virtual-stages", "--context", "--expert", "--sequence-parallel", "--zero",
  "--micro-batch", "--recompute", "--schedule", "--offload"]);

function choices(id, list, value, group, text) {
  const select = el("select", { id });
  const boxes = new Map();
  for (const one of list) {
    const name = group(one);
    if (!boxes.has(name)) boxes.set(name, select.appendChild(el("optgroup", { label: name })));
    boxes.get(name).append(el("option", { value: one.id }, text(one)));
  }
  if (value && !list.some((one) => one.id === value)) select.prepend(el("option", { value }, value));
  if (value) select.value = value;
  return select;
}

// Makes the input element of an option. The value "" means the default. plain: text that describes the default.
function input(option, id, plain) {
  if (option.kind === "choice" || option.kind === "switch") {
    const names = option.kind === "switch" ? ["on", "off"] : option.choices;
    return el("select", { id }, el("option", { value: "" }, plain), ...names.map((name) => el("option", { value: name }, name)));
  }
  const list = option.kind === "flags" ? el("datalist", { id: `${id}-list` },
    ...option.choices.map((name) => el("option", { value: name }))) : null;
  const box = el("input", { id, placeholder: plain, autocomplete: "off", spellcheck: "false", list: list && list.id,
    inputmode: option.kind === "whole" || option.kind === "number" ? "decimal" : null });
  return list ? el("span", {}, box, list) : box;
}

export class Form {
  // lists: models, devices and software of the program. changed(parsed): is called with a new command line.
  constructor(options, lists, changed) {
    this.options = options;
    this.lists = lists;
    this.changed = changed;
    this.form = $("form");
    this.fields = new Map();
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.append(el("div", { id: "specs" }), el("input", { type: "file", id: "file", accept: ".json", hidden: true }),
      el("button", { type: "button", id: "open", onclick: () => $("file").click() }, "Open a file…"), el("div", { id: "groups" }));
  }
  // Makes the input elements of a command's options, by group.
  build(command) {
    this.command = command;
    this.fields = new Map();
    $("groups").replaceChildren();
    if (!questions[command]) return;
    const all = [...new Set(this.options.of(command).values())];
    for (const group of groups) {
      const own = all.filter((one) => one.group === group && one.kind !== "path" && !hidden.has(one.name));
      if (own.length === 0) continue;
      const count = el("span", { class: "count" });
      const box = el("details", { open: group === questions[command][1] && innerWidth > 800 }, el("summary", {}, group, count));
      $("groups").append(box);
      for (const option of own) this.add(box, option, count);
    }
  }
  add(box, option, count) {
    const id = `field${option.name}`;
    const made = option.name === "--software" ? choices(id, [{ id: "", name: "chosen by the plan" },
      ...this.lists.software.map((one) => ({ ...one, name: one.id }))], "", () => "Profiles", (one) => one.name)
      : input(option, id, this.command === "search" && searched.has(option.name) ? "all are tried" : option.default ?? "not given");
    const field = made.matches("input, select") ? made : made.querySelector("input");
    field.addEventListener("change", () => this.changed(change(this.parsed, option, field.value.trim() || null)));
    const label = el("label", { for: id }, option.name.slice(2).replaceAll("-", " "), option.unit ? el("small", {}, ` ${option.unit}`) : null);
    box.append(label, made);
    this.fields.set(option.name, { field, count, box, label });
    this.titleOf(option.name);
  }
  // Sets the tooltip of an option, once the help of the options is known.
  titleOf(name) {
    const help = this.helps?.get(this.command)?.get(name);
    if (help) this.fields.get(name).label.title = help;
  }
  // Stores the help of all options. commands: the answer of 'nncost docs options'.
  explain(commands) {
    this.helps = new Map(commands.map(({ name, options }) => [name, new Map(options.map((one) => [one.name, one.help]))]));
    for (const name of this.fields.keys()) this.titleOf(name);
  }
  // Shows a command line in the form. For a command with a form, shows all options; otherwise shows only model and
  // device.
  show(parsed) {
    this.parsed = parsed;
    if (this.command !== parsed.command) this.build(parsed.command);
    const known = questions[parsed.command] || /^(compare|ops|sweep|scale)$/.test(parsed.command);
    const operands = this.operands = known ? parsed.operands : this.operands ?? ["gpt2", "a100"];
    const [model, device] = operands;
    const focus = document.activeElement?.id;
    const pick = (at) => (event) => {
      const changed = [...operands];
      changed[at] = event.target.value;
      this.changed({ ...parsed, operands: changed });
    };
    const { models, devices } = this.lists;
    const named = devices.find((one) => one.id === device || one.aliases?.split(", ").includes(device))?.id ?? device;
    const boxes = [choices("model", models, model, (one) => one.family, (one) => one.name),
      choices("device", devices, named, (one) => String(one.year), (one) => one.name)];
    boxes.forEach((box, at) => box.addEventListener("change", pick(at)));
    const question = choices("question", Object.entries(questions).map(([id, [name]]) => ({ id, name })), parsed.command, () => "Question", (one) => one.name);
    question.addEventListener("change", () => this.changed({ ...parsed, command: question.value, operands: operands.map((one) => one.split(",")[0]) }));
    const labelled = (id, name, box) => [el("label", { for: id }, name), box];
    $("specs").replaceChildren(...labelled("question", "Question", question),
      ...(known ? [...labelled("model", "Model", boxes[0]), ...labelled("device", "Device", boxes[1])] : []));
    if (["question", "model", "device"].includes(focus)) $(focus).focus();
    const counts = new Map();
    for (const [name, { field, count }] of this.fields) {
      const given = parsed.given.findLast((one) => one.name === name);
      field.value = given ? given.value : "";
      if (given && field.value !== given.value) field.append(new Option(given.value, given.value, true, true));
      field.classList.toggle("given", Boolean(given));
      counts.set(count, (counts.get(count) ?? 0) + (given ? 1 : 0));
    }
    for (const [count, number] of counts) count.textContent = number > 0 ? ` ${number} set` : "";
  }
}
