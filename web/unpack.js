// A worker that unpacks parts of the page: the program from its streams, or the data files.
import { join } from "./streams.js";

self.onmessage = ({ data: { decoder, packed, parts } }) => {
  const { room, unpack, memory } = new WebAssembly.Instance(new WebAssembly.Module(decoder)).exports;
  let from = room(packed.length);
  new Uint8Array(memory.buffer).set(packed, from);
  const texts = parts.map(({ length, size, order }) => {
    const to = room(size);
    if (!unpack(from, length, order, to, size)) throw new Error("a part of the page is damaged");
    from += length;
    return new Uint8Array(memory.buffer, to, size).slice(); // a copy, because the next part may replace the memory
  });
  const whole = texts.length > 1 ? join(texts) : texts[0];
  self.postMessage(whole, [whole.buffer]);
};
