// Divides a WebAssembly module into streams of similar bytes: the instructions of all functions, one stream for each
// kind of their operands, and the other sections of the module. PPMd compresses the streams to a size that is an eighth
// smaller than that of the compressed module. `names` lists the streams. The streams from "sum" to "number" have
// constants, sorted by the instruction that uses the constant.
const names = ["rest", "code", "types", "get", "set", "call", "global", "branch", "offset", "address", "i64", "float",
  "near", "far", "sum", "difference", "compared", "read", "given", "kept", "copied", "number"];
// Order of PPMd for each stream: the number of earlier bytes from which a byte is predicted. The last order is for the
// data files. Each order gives the smallest stream.
export const orders = [24, 8, 2, 2, 2, 8, 4, 3, 3, 5, 12, 12, 2, 8, 8, 2, 2, 2, 2, 2, 2, 2, 24];
const CODE = 10, DATA = 11, ADDRESS = 0xff; // ADDRESS: an i32.const of five bytes
// Usual alignments of loads and stores, as powers of two. If an alignment differs, the stream of instructions has it.
const FIRST_ACCESS = 0x28, LAST_ACCESS = 0x3e, ALIGNED = 0xd0;
const alignments = [2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2];

// A list of bytes. Reads at position `at` and writes at position `end`.
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
  // Writes or reads a number of variable length (LEB128).
  write(value) {
    for (; value > 127; value >>>= 7) this.put((value & 127) | 128);
    this.put(value);
  }
  read() {
    let value = 0, shift = 0, byte;
    do {
      byte = this.take();
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    return value;
  }
  get bytes() {
    return this.all.slice(0, this.end);
  }
}
const reading = (bytes) => new Bytes(bytes, bytes.length);
const named = (value) => Object.fromEntries(names.map((name, i) => [name, value(i)]));

// Copies a number of variable length to another list and returns its low bits.
function number(from, to) {
  const { at } = from, value = from.read();
  for (let i = at; i < from.at; i++) to.put(from.all[i]);
  return value;
}
function copy(from, to, count) {
  for (; count > 0; count--) to.put(from.take());
}

// Returns the name of the stream for a constant that the instruction `op` uses.
const before = (op) => (op === 0x6a ? "sum" : op === 0x6b || op === 0x6c ? "difference" : op >= 0x45 && op <= 0x4f ? "compared"
  : op === 0x20 || op === 0x41 || op === ADDRESS ? "read" : op === 0x10 ? "given" : op === 0x21 || op === 0x22 ? "kept"
  : op === 0xfc ? "copied" : "number");

// Numbers local variables by their last use: the variable that was used last has number 0, the one before it has number
// 1.
class Recent {
  list = [];
  // Moves the variable at position `place` to the front.
  front(place) {
    while (this.list.length <= place) this.list.push(this.list.length);
    const local = this.list[place];
    for (let i = place; i > 0; i--) this.list[i] = this.list[i - 1];
    this.list[0] = local;
    return local;
  }
  place(local) {
    return local < this.list.length ? this.list.indexOf(local) : local;
  }
}

// Tests for a number below 2^23 in five bytes, as the linker writes addresses and numbers of functions.
const isPadded = (all, at) => all[at] > 127 && all[at + 1] > 127 && all[at + 2] > 127 && all[at + 3] > 127 && all[at + 3] < 132 && all[at + 4] === 0;

// Moves a function without its size from the module to the streams (splits) or from the streams to the module.
function body(module, streams, splits) {
  const one = (stream) => (splits ? number(module, stream) : number(stream, module));
  const raw = (stream, count) => (splits ? copy(module, stream, count) : copy(stream, module, count));
  const { code, types } = streams;
  const recent = new Recent();
  for (let groups = one(types); groups > 0; groups--) {
    one(types);
    raw(types, 1);
  }
  for (let depth = 1; depth > 0;) {
    let op = (splits ? module : code).take();
    const { all, at } = module;
    let aligned = -1;
    if (!splits && op >= ALIGNED && op < ALIGNED + 16) {
      aligned = op - ALIGNED;
      op = code.take();
    } else if (splits && op >= FIRST_ACCESS && op <= LAST_ACCESS && all[at] !== alignments[op - FIRST_ACCESS]) {
      if (all[at] > 15) throw new Error(`alignment ${all[at]}`);
      code.put(ALIGNED + all[at]);
    } else if (splits && op === 0x41 && isPadded(all, at)) op = ADDRESS;
    if (splits) code.put(op);
    else module.put(op === ADDRESS ? 0x41 : op);
    if (op >= 0x20 && op <= 0x22) {
      const stream = op === 0x20 ? streams.get : streams.set;
      const place = splits ? recent.place(module.read()) : stream.read();
      const local = recent.front(place);
      if (splits) stream.write(place);
      else module.write(local);
    } else if (op >= FIRST_ACCESS && op <= LAST_ACCESS) { // loads and stores have an alignment and an offset
      if (splits) module.take();
      else module.put(aligned < 0 ? alignments[op - FIRST_ACCESS] : aligned);
      one(streams.offset);
    } else if (op === 0x41) {
      let next = splits ? at : code.at;
      if (splits) while (all[next++] > 127);
      one(streams[before((splits ? all : code.all)[next])]);
    } else if (op === ADDRESS) one(streams.address);
    else if (op >= 0x02 && op <= 0x04) { // block, loop, if
      raw(code, 1);
      depth++;
    } else if (op === 0x0b) depth--; // end
    else if (op === 0x0c || op === 0x0d) one(streams.branch);
    else if (op === 0x0e) for (let more = one(streams.branch) + 1; more > 0; more--) one(streams.branch);
    else if (op === 0x10) one(streams.call);
    else if (op === 0x11) { // an indirect call has a type and a table
      one(code);
      one(code);
    } else if (op === 0x23 || op === 0x24) one(streams.global);
    else if (op === 0x3f || op === 0x40) one(code); // memory.size and memory.grow
    else if (op === 0x42) one(streams.i64);
    else if (op === 0x43 || op === 0x44) raw(streams.float, op === 0x43 ? 4 : 8);
    else if (op === 0xfc) { // conversions, and copies and fills of the memory
      const kind = one(code);
      if (kind > 11 || kind === 8 || kind === 9) throw new Error(`instruction 0xfc ${kind}`);
      raw(code, kind === 10 ? 2 : kind === 11 ? 1 : 0);
    } else if (op === 0x1c || op > 0xc4) throw new Error(`instruction ${op}`);
  }
}

// Finds addresses that a program uses. A program uses most of its texts in the order in which they are stored, so an
// address that was not used before is often the end of the text at one of the last addresses, or lies shortly after it.
const FIRST = 0x400000, END = 0x500000; // addresses of the data
const RUNS = 3, DISTANT = 0x80;
const isAddress = (word) => word >= FIRST && word < END;
class Addresses {
  last = [];
  seen = new Set();
  // texts: the data of the program from address FIRST, with no byte 0 in place of an address.
  constructor(texts) {
    this.texts = texts;
  }
  // Returns the address after the text at an address, or -1.
  after(address) {
    const end = this.texts.indexOf(0, address - FIRST);
    return end < 0 ? -1 : end + 1 + FIRST;
  }
  add(address, run) {
    if (!isAddress(address)) return address;
    if (run >= 0) this.last.splice(run, 1);
    if (run >= 0 || !this.seen.has(address)) this.last = [address, ...this.last.slice(0, RUNS - 1)];
    this.seen.add(address);
    return address;
  }
  // Returns an address as a number below RUNS if it is the end of a text; as a number below 2 * RUNS and a distance if
  // it lies after a text; otherwise as DISTANT and three bytes.
  split(address) {
    const fresh = isAddress(address) && !this.seen.has(address);
    let run = fresh ? this.last.findIndex((one) => this.after(one) === address) : -1;
    if (run >= 0) {
      this.add(address, run);
      return [run];
    }
    run = fresh ? this.last.findIndex((one) => address > one && address - one < 128) : -1;
    const found = run < 0 ? [DISTANT, 16, 8, 0].map((shift, i) => (i === 0 ? shift : (address >> shift) & 255)) : [RUNS + run, address - this.last[run]];
    this.add(address, run);
    return found;
  }
  // Returns the address of a number. more(): returns the next byte that belongs to the number.
  join(number, more) {
    if (number < RUNS) return this.add(this.after(this.last[number]), number);
    if (number < DISTANT) return this.add(this.last[number - RUNS] + more(), number - RUNS);
    return this.add((more() << 16) + (more() << 8) + more(), -1);
  }
}

// Replaces each address in the instructions, which has five bytes, by its number in the stream "near" of addresses. The
// first byte of a distant address follows at once, because it is small: it has the number DISTANT in it.
function nearer(stream, texts, splits) {
  const from = reading(stream), to = new Bytes(), addresses = new Addresses(texts);
  while (from.at < from.end) {
    if (splits) {
      const [number, ...more] = addresses.split(from.read());
      if (number === DISTANT) more[0] |= DISTANT;
      else to.put(number);
      more.forEach((byte) => to.put(byte));
      continue;
    }
    const first = from.take();
    if (first >= DISTANT) from.at--;
    let own = first >= DISTANT;
    const address = addresses.join(Math.min(first, DISTANT), () => {
      const byte = from.take() & (own ? 0x7f : 0xff);
      own = false;
      return byte;
    });
    for (let shift = 0; shift < 28; shift += 7) to.put(((address >> shift) & 127) | 128);
    to.put(address >> 28);
  }
  return to.bytes;
}

// Moves addresses in tables of the data to separate streams: distant addresses to the stream "far", others to the
// stream "near". A word that no text and few numbers contain marks the place of an address. NEXT: the end of the text
// at the last address. The first bytes of the stream "rest" are the place of the address FIRST.
const NEXT = 0xf7000000, NEAR = 0xf5000000, FAR = 0xf6000000, HEAD = 4;
function words(bytes, place, change) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = place; at + 4 <= bytes.length; at += 4) {
    const now = view.getUint32(at, true), next = change(now);
    if (next !== now) view.setUint32(at, next, true);
  }
}
const isMark = (word) => word === NEXT || word === NEAR || word === FAR;
// Returns the data from the address FIRST, without bytes 0 in place of addresses.
function textsOf(bytes, place, isOne) {
  const texts = bytes.slice(place);
  words(texts, 0, (word) => (isOne(word) ? 0xffffffff : word));
  return texts;
}
function takeAddresses(bytes, place, near, far) {
  const texts = textsOf(bytes, place, isAddress), addresses = new Addresses(texts);
  words(bytes, place, (word) => {
    if (isMark(word)) throw new Error(`${word} in the data looks like a moved address`);
    if (!isAddress(word)) return word;
    const [number, ...more] = addresses.split(word);
    if (number === 0) return NEXT;
    if (number < DISTANT) near.put(number);
    more.forEach((byte) => (number < DISTANT ? near : far).put(byte));
    return number < DISTANT ? NEAR : FAR;
  });
  const all = new Uint8Array(HEAD + bytes.length);
  new DataView(all.buffer).setUint32(0, place);
  all.set(bytes, HEAD);
  return [all, texts];
}
function putAddresses(stream, near, far) {
  const bytes = stream.slice(HEAD), place = new DataView(stream.buffer, stream.byteOffset).getUint32(0);
  const texts = textsOf(bytes, place, isMark), addresses = new Addresses(texts);
  words(bytes, place, (word) => (!isMark(word) ? word : word === NEXT ? addresses.join(0)
    : word === NEAR ? addresses.join(near.take(), () => near.take()) : addresses.join(DISTANT, () => far.take())));
  return [bytes, texts];
}

// Returns where the byte of address FIRST will be, if the section of data at from.at is copied to the place `at`.
function placeOf({ all, at: begin }, at) {
  const from = reading(all);
  from.at = begin;
  const [, , , address] = [from.read(), from.read(), from.take(), from.read()]; // segments, kind, i32.const
  from.take();
  from.read();
  return at + from.at - begin + FIRST - address;
}

// Divides a module into its streams.
export function split(module) {
  const from = reading(module), to = named(() => new Bytes());
  let place = module.length;
  copy(from, to.rest, 8);
  while (from.at < module.length) {
    const kind = from.take();
    to.rest.put(kind);
    if (kind !== CODE) {
      const length = number(from, to.rest);
      if (kind === DATA) place = placeOf(from, to.rest.end);
      copy(from, to.rest, length);
      continue;
    }
    const size = new Bytes();
    number(from, size);
    for (let count = number(from, to.rest); count > 0; count--) {
      number(from, size);
      body(from, to, true);
    }
  }
  const [rest, texts] = takeAddresses(to.rest.bytes, place, to.near, to.far);
  return names.map((name) => (name === "rest" ? rest : name === "address" ? nearer(to.address.bytes, texts, true) : to[name].bytes));
}

// Makes the module from its streams. Each size is written with the smallest number of bytes.
export function join(streams) {
  const from = named((i) => reading(streams[i])), to = new Bytes();
  const [rest, texts] = putAddresses(streams[names.indexOf("rest")], from.near, from.far);
  from.rest = reading(rest);
  from.address = reading(nearer(from.address.all, texts, false));
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
