// Divides a WebAssembly module into streams of similar bytes, which PPMd packs a tenth smaller than the module: the
// instructions of all functions, one stream for each kind of their operands, and the other sections of the module.
const names = ["rest", "code", "local", "call", "global", "branch", "offset", "address", "i32", "i64", "float"];
// Order of PPMd, the number of bytes before a byte from which it is predicted: the best for each stream; last, the data
// files.
export const orders = [16, 12, 4, 8, 4, 3, 4, 12, 12, 12, 12, 24];
const CODE = 10, ADDRESS = 0xff; // ADDRESS: an i32.const whose number takes four bytes or more

// Bytes that are read from `at` and written to `end`.
class Bytes {
  constructor(all = new Uint8Array(1 << 16), end = 0) {
    this.all = all;
    this.end = end;
    this.at = 0;
  }
  take() {
    return this.all[this.at++];
  }
  put(byte) {
    if (this.end === this.all.length) {
      const more = new Uint8Array(2 * this.end);
      more.set(this.all);
      this.all = more;
    }
    this.all[this.end++] = byte;
  }
  // A number of variable length.
  write(value) {
    for (; value > 127; value >>>= 7) this.put((value & 127) | 128);
    this.put(value);
  }
  get bytes() {
    return this.all.slice(0, this.end);
  }
}
const reading = (bytes) => new Bytes(bytes, bytes.length);
const named = (value) => Object.fromEntries(names.map((name, i) => [name, value(i)]));

// Moves a number of variable length, whose low bits are returned.
function number(from, to) {
  let value = 0, shift = 0, byte;
  do {
    byte = from.take();
    to.put(byte);
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte > 127);
  return value;
}
function copy(from, to, count) {
  for (; count > 0; count--) to.put(from.take());
}

// Moves a function without its size from the module to the streams (splits) or from the streams to the module.
function body(module, streams, splits) {
  const one = (stream) => (splits ? number(module, stream) : number(stream, module));
  const raw = (stream, count) => (splits ? copy(module, stream, count) : copy(stream, module, count));
  const { code } = streams;
  for (let groups = one(code); groups > 0; groups--) {
    one(code);
    raw(code, 1);
  }
  for (let depth = 1; depth > 0;) {
    let op = (splits ? module : code).take();
    const { all, at } = module;
    if (splits && op === 0x41 && all[at] > 127 && all[at + 1] > 127 && all[at + 2] > 127) op = ADDRESS;
    if (splits) code.put(op);
    else module.put(op === ADDRESS ? 0x41 : op);
    if (op >= 0x20 && op <= 0x22) one(streams.local);
    else if (op >= 0x28 && op <= 0x3e) { // loads and stores: alignment, offset
      one(code);
      one(streams.offset);
    } else if (op === 0x41) one(streams.i32);
    else if (op === ADDRESS) one(streams.address);
    else if (op >= 0x02 && op <= 0x04) { // block, loop, if
      raw(code, 1);
      depth++;
    } else if (op === 0x0b) depth--; // end
    else if (op === 0x0c || op === 0x0d) one(streams.branch);
    else if (op === 0x0e) for (let more = one(streams.branch) + 1; more > 0; more--) one(streams.branch);
    else if (op === 0x10) one(streams.call);
    else if (op === 0x11) { // a call of a function in a table: type, table
      one(code);
      one(code);
    } else if (op === 0x23 || op === 0x24) one(streams.global);
    else if (op === 0x3f || op === 0x40) one(code); // size and growth of the memory
    else if (op === 0x42) one(streams.i64);
    else if (op === 0x43 || op === 0x44) raw(streams.float, op === 0x43 ? 4 : 8);
    else if (op === 0xfc) { // conversions; copies and fills of the memory
      const kind = one(code);
      if (kind > 11 || kind === 8 || kind === 9) throw new Error(`instruction 0xfc ${kind}`);
      raw(code, kind === 10 ? 2 : kind === 11 ? 1 : 0);
    } else if (op === 0x1c || op > 0xc4) throw new Error(`instruction ${op}`);
  }
}

// The streams of a module.
export function split(module) {
  const from = reading(module), to = named(() => new Bytes());
  copy(from, to.rest, 8);
  while (from.at < module.length) {
    const kind = from.take();
    to.rest.put(kind);
    if (kind !== CODE) {
      copy(from, to.rest, number(from, to.rest));
      continue;
    }
    const size = new Bytes();
    number(from, size);
    for (let count = number(from, to.rest); count > 0; count--) {
      number(from, size);
      body(from, to, true);
    }
  }
  return names.map((name) => to[name].bytes);
}

// The module of the streams. Sizes are written as short as they can be.
export function join(streams) {
  const from = named((i) => reading(streams[i])), to = new Bytes();
  copy(from.rest, to, 8);
  while (from.rest.at < from.rest.end) {
    const kind = from.rest.take();
    to.put(kind);
    if (kind !== CODE) {
      copy(from.rest, to, number(from.rest, to));
      continue;
    }
    const all = new Bytes(), one = new Bytes();
    for (let count = number(from.rest, all); count > 0; count--) {
      one.at = one.end = 0;
      body(one, from, false);
      all.write(one.end);
      copy(one, all, one.end);
    }
    to.write(all.end);
    copy(all, to, all.end);
  }
  return to.bytes;
}
