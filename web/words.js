// Divides command lines into words, as a shell does, and finds options among the words.

// Returns the words of a line. A quotation mark without a closing mark extends to the end of the line.
export function split(line) {
  const words = [];
  let word = null;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (c === "'") {
      const end = line.indexOf("'", i + 1) < 0 ? line.length : line.indexOf("'", i + 1);
      word = (word ?? "") + line.slice(i + 1, end);
      i = end;
    } else if (c === '"') {
      word ??= "";
      for (i++; i < line.length && line[i] !== '"'; i++) {
        if (line[i] === "\\" && '"\\$`'.includes(line[i + 1])) i++;
        word += line[i];
      }
    } else {
      if (c === "\\" && i + 1 < line.length) i++;
      word = (word ?? "") + line[i];
    }
  }
  if (word !== null) words.push(word);
  return words[0] === "nncost" ? words.slice(1) : words;
}

const quote = (word) => (/^[\w./=,:+@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
export const join = (words) => words.map(quote).join(" ");

// Stores the answer of 'nncost docs options', by command and by each name of an option.
export class Options {
  constructor(commands) {
    this.commands = new Map();
    for (const command of commands) {
      const names = new Map();
      for (const option of command.options) {
        names.set(option.name, option);
        if (option.alias) names.set(option.alias, option);
      }
      this.commands.set(command.name, names);
    }
  }
  of(command) {
    return this.commands.get(command) ?? new Map();
  }
  // Divides a command line into its operands and its options, in their order.
  parse(words) {
    const names = this.of(words[0]);
    const operands = [], given = [];
    for (let i = 1; i < words.length; i++) {
      const [name, ...value] = words[i].split("=");
      const option = names.get(name);
      if (!words[i].startsWith("--")) {
        operands.push(words[i]);
      } else if (!option) {
        given.push({ name: words[i], unknown: true });
      } else if (option.kind === "flag" || option.kind === "switch") {
        given.push({ name: option.name, value: value.length > 0 ? value.join("=") : "on", option });
      } else {
        given.push({ name: option.name, value: value.length > 0 ? value.join("=") : (words[++i] ?? ""), option });
      }
    }
    return { command: words[0], operands, given };
  }
  // Joins operands and options to a command line. takes: a command; options that this command does not have are left
  // out.
  build({ command, operands, given }, takes) {
    const names = takes ? this.of(takes) : null;
    const words = [takes ?? command, ...operands];
    for (const { name, value, option, unknown } of given) {
      if (names && !names.has(name)) continue;
      if (unknown) words.push(name);
      else if (option.kind === "flag") words.push(name);
      else if (option.kind === "switch") words.push(value === "on" ? name : `${name}=${value}`);
      else words.push(name, value);
    }
    return words;
  }
}

// Returns a parsed command with one option changed. value null: removes the option.
export function change(parsed, option, value) {
  const given = parsed.given.filter((one) => one.name !== option.name);
  if (value !== null) given.push({ name: option.name, value, option });
  return { ...parsed, given };
}
