// Runs the C program in a worker: reads command lines and returns exit code, standard output and standard error.
import { WASI, Directory, Fd, File, PreopenDirectory, wasi } from "@bjorn3/browser_wasi_shim";

// An output stream, not a terminal. The text of a stream is read at the end, or line by line while the program writes.
class Stream extends Fd {
  constructor(take) {
    super();
    this.take = take;
    this.parts = [];
    this.rest = "";
    this.decoder = new TextDecoder();
  }
  fd_fdstat_get() {
    return { ret: 0, fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0) };
  }
  fd_filestat_get() {
    return { ret: 0, filestat: new wasi.Filestat(0n, wasi.FILETYPE_REGULAR_FILE, 0n) };
  }
  fd_read() {
    return { ret: 0, data: new Uint8Array() };
  }
  fd_write(bytes) {
    const text = this.decoder.decode(bytes, { stream: true });
    this.parts.push(text);
    if (this.take) {
      const lines = (this.rest + text).split("\n");
      this.rest = lines.pop();
      lines.forEach(this.take);
    }
    return { ret: 0, nwritten: bytes.length };
  }
  text() {
    return this.parts.join("") + this.decoder.decode();
  }
}

// Makes folders from an object {path: text}.
export function folderOf(files) {
  const root = new Map();
  for (const [path, text] of Object.entries(files)) {
    const names = path.split("/");
    const last = names.pop();
    let at = root;
    for (const name of names) {
      if (!at.has(name)) at.set(name, new Directory(new Map()));
      at = at.get(name).contents;
    }
    at.set(last, new File(new TextEncoder().encode(text)));
  }
  return root;
}

export class Engine {
  // columns: largest width of tables, in characters.
  constructor(module, data, columns = 100) {
    this.module = module;
    this.columns = columns;
    // Dropped files are in the same folder as the data folder ".nncost", so no dropped file can have the name
    // ".nncost".
    this.here = new Map([[".nncost", new Directory(folderOf(data))]]);
    this.instance = null;
  }
  begin() {
    const environment = ["NNCOST_PATH=/.nncost", "LC_ALL=C.UTF-8", "HOME=/", `COLUMNS=${this.columns}`];
    this.wasi = new WASI(["nncost"], environment, [null, null, null, new PreopenDirectory("/", this.here)],
      { debug: false });
    this.preopened = this.wasi.fds.length;
    this.instance = new WebAssembly.Instance(this.module, { wasi_snapshot_preview1: this.wasi.wasiImport });
    this.wasi.initialize(this.instance);
  }
  put(name, text) {
    this.here.set(name, new File(new TextEncoder().encode(text)));
  }
  // Runs a command line, given without the word "nncost". line: function that gets each line of standard error.
  run(words, line) {
    if (this.instance === null) this.begin();
    const [out, err] = [new Stream(), new Stream(line)];
    const fds = this.wasi.fds;
    [fds[0], fds[1], fds[2]] = [new Stream(), out, err];
    fds.length = this.preopened; // closes all files of the previous run
    const bytes = new TextEncoder().encode(words.map((word) => word.replaceAll("\0", " ") + "\0").join(""));
    let code;
    try {
      const { nnc_alloc, nnc_free, nnc_run, memory } = this.instance.exports;
      const at = nnc_alloc(bytes.length + 1);
      new Uint8Array(memory.buffer).set([...bytes, 0], at);
      code = nnc_run(at, bytes.length);
      nnc_free(at);
    } catch (fault) {
      this.instance = null; // the state of the program is unknown, so the next run starts a new instance
      return { code: 70, out: "", err: `nncost: the engine stopped: ${fault.message}\n` };
    }
    return { code, out: out.text(), err: err.text() };
  }
}

if (typeof WorkerGlobalScope !== "undefined") {
  let engine;
  self.onmessage = ({ data: { id, module, data, columns, files, runs } }) => {
    if (module) engine = new Engine(module, data, columns);
    for (const [name, text] of Object.entries(files || {})) engine.put(name, text);
    const began = performance.now();
    const line = (text) => self.postMessage({ id, line: text });
    const answers = (runs || []).map((words) => engine.run(words, line));
    self.postMessage({ id, answers, ms: performance.now() - began });
  };
}
