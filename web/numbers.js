// Formats numbers as the program does: four digits and a unit.
const prefixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y"];
const year = 365.25 * 86400;
const times = [[2 * year, year, "years"], [2 * 86400, 86400, "days"], [7200, 3600, "h"], [0.99995, 1, "s"],
  [0.99995e-3, 1e-3, "ms"], [0.99995e-6, 1e-6, "us"], [0, 1e-9, "ns"]];

function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 99999.5 || size < 1e-3) return value.toExponential(3).replace("e+", "e");
  let decimals = 0;
  for (let least = 999.95; size < least; least /= 10) decimals++;
  return value.toFixed(decimals);
}

export function unit(value, of) {
  if (typeof value !== "number") return value === null || value === undefined ? "unknown" : String(value);
  if (of === "%") return `${(100 * value).toFixed(1)}%`;
  if (of === "s") {
    const [, seconds, name] = times.find(([from]) => Math.abs(value) >= from);
    return value === 0 ? "0 s" : `${digits(value / seconds)} ${name}`;
  }
  if (of === "") return Number.isInteger(value) || Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : digits(value);
  const whole = of[0] === "B" || of.startsWith("FLOP");
  let at = 3;
  let shown = value;
  for (; at < prefixes.length - 1 && Math.abs(shown) >= 999.95; at++) shown /= 1000;
  for (; !whole && at > 0 && shown !== 0 && Math.abs(shown) < 0.99995; at--) shown *= 1000;
  const text = at === 3 && of === "B" && Number.isInteger(value) ? String(value) : digits(shown);
  return `${text} ${prefixes[at]}${of}`;
}

// Returns the unit in the last part of the name of a figure, such as s in step_s.
const ends = [["flops_per_byte", "FLOP/B"], ["flops_per_s", "FLOP/s"], ["bytes_per_s", "B/s"], ["_s", "s"], ["_bytes", "B"],
  ["_flops", "FLOP"], ["_share", "%"], ["mfu", "%"], ["hfu", "%"], ["goodput", "%"], ["energy_j", "J"]];
export function unitOf(path) {
  const name = path.replace(/\.\d+$/, "");
  const parts = name.split(".");
  const inside = /^(exposed_comm|communication|bound_s)$/.test(parts.at(-2) ?? "") ? "s" : null;
  if (/_per_s(_per_device)?$/.test(name) && !/(flops|bytes)_per_s/.test(name)) return "";
  if (/flops_per_s_per_device$/.test(name)) return "FLOP/s";
  return inside ?? ends.find(([end]) => name.endsWith(end))?.[1] ?? "";
}
