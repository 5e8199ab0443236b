"use strict";
// What stands between the program and the browser: the functions of WASI that it imports, over files in memory. Each
// question gets an instance of its own, which is dropped after the answer.
const fencepostMachine = (() => {
  const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOTDIR = 54, NOTEMPTY = 55, SPIPE = 70;
  const FILE = 4, FOLDER = 3, DEVICE = 2;
  const MOST_OUTPUT = 64 << 20;
  let numbers = 1;
  const folder = () => ({entries: new Map(), inode: numbers++});
  const file = (data) => ({data, size: data.length, inode: numbers++});
  const parts = (path) => path.split("/").filter((p) => p && p !== ".");

  class Exit extends Error {
    constructor(status) { super("exit " + status); this.status = status; }
  }

  const typeOf = (o) => o.out !== undefined || o.stream ? DEVICE : o.node.entries ? FOLDER : FILE;
  const now = (id) => BigInt(Math.round((id === 0 ? Date.now() : performance.now()) * 1e6));

  // The folder of {path: text}.
  function tree(files, encoder) {
    const root = folder();
    for (const [path, text] of Object.entries(files)) {
      let at = root;
      const names = parts(path), name = names.pop();
      for (const n of names) {
        if (!at.entries.has(n)) at.entries.set(n, folder());
        at = at.entries.get(n);
      }
      at.entries.set(name, file(encoder.encode(text)));
    }
    return root;
  }

  function joined(blocks) {
    const all = new Uint8Array(blocks.reduce((n, b) => n + b.length, 0));
    let at = 0;
    for (const b of blocks) {
      all.set(b, at);
      at += b.length;
    }
    return all;
  }

  // What one instance of the program sees: files, its memory, and what it wrote.
  class World {
    constructor(files, input, variables) {
      this.encoder = new TextEncoder();
      this.decoder = new TextDecoder();
      const strings = (list) => list.map((s) => this.encoder.encode(s + "\0"));
      this.environment = strings(Object.entries(variables).map(([k, v]) => `${k}=${v}`));
      this.args = strings(["fencepost_ask"]);
      this.written = {1: [], 2: []};
      this.amount = 0;
      this.memory = null;
      this.next = 4;
      const root = tree(files, this.encoder);
      this.open = new Map([[0, {node: file(this.encoder.encode(input)), at: 0, stream: true}], [1, {out: 1}], [2, {out: 2}],
        [3, {node: root, at: 0}]]);
    }
    bytes() { return new Uint8Array(this.memory.buffer); }
    view() { return new DataView(this.memory.buffer); }
    text(at, n) { return this.decoder.decode(this.bytes().slice(at, at + n)); }
    said(k) { return this.decoder.decode(joined(this.written[k])); }

    // The folder that holds the last name of a path, the name, and what is there; null: a part of the way is missing.
    look(fd, at, n) {
      let here = this.open.get(fd)?.node;
      if (!here?.entries) return null;
      const trail = [here], names = parts(this.text(at, n));
      for (let k = 0; k < names.length; ++k) {
        if (names[k] === "..") {
          if (trail.length > 1) trail.pop();
          here = trail[trail.length - 1];
          continue;
        }
        if (k === names.length - 1) return {above: here, name: names[k], node: here.entries.get(names[k])};
        here = here.entries.get(names[k]);
        if (!here?.entries) return null;
        trail.push(here);
      }
      return {above: null, name: "", node: here};
    }
    put(list, pointers, buffer) {
      for (const item of list) {
        this.view().setUint32(pointers, buffer, true);
        this.bytes().set(item, buffer);
        pointers += 4;
        buffer += item.length;
      }
      return OK;
    }
    sizes(list, count, total) {
      this.view().setUint32(count, list.length, true);
      this.view().setUint32(total, list.reduce((n, s) => n + s.length, 0), true);
      return OK;
    }
    stat(node, type, at) {
      this.bytes().fill(0, at, at + 64);
      const v = this.view();
      v.setBigUint64(at, 1n, true);
      v.setBigUint64(at + 8, BigInt(node?.inode ?? 0), true);
      v.setUint8(at + 16, type);
      v.setBigUint64(at + 24, 1n, true);
      v.setBigUint64(at + 32, BigInt(node?.size ?? 0), true);
      return OK;
    }
    *pieces(list, count) {
      for (let k = 0; k < count; ++k) yield [this.view().getUint32(list + 8 * k, true), this.view().getUint32(list + 8 * k + 4, true)];
    }
    read(fd, list, count, done) {
      const o = this.open.get(fd);
      if (!o?.node) return BADF;
      if (o.node.entries) return ISDIR;
      let total = 0;
      for (const [at, n] of this.pieces(list, count)) {
        const some = o.node.data.subarray(o.at, Math.min(o.at + n, o.node.size));
        this.bytes().set(some, at);
        o.at += some.length;
        total += some.length;
      }
      this.view().setUint32(done, total, true);
      return OK;
    }
    write(fd, list, count, done) {
      const o = this.open.get(fd);
      if (!o || (o.out === undefined && !o.node.data)) return BADF;
      let total = 0;
      for (const [at, n] of this.pieces(list, count)) {
        const some = this.bytes().slice(at, at + n);
        total += n;
        if ((this.amount += n) > MOST_OUTPUT) throw new Error("the program wrote more than 64 MiB");
        if (o.out !== undefined) {
          this.written[o.out].push(some);
          continue;
        }
        if (o.append) o.at = o.node.size;
        if (o.node.data.length < o.at + n) {
          const larger = new Uint8Array(Math.max(2 * o.node.data.length, o.at + n));
          larger.set(o.node.data.subarray(0, o.node.size));
          o.node.data = larger;
        }
        o.node.data.set(some, o.at);
        o.at += n;
        o.node.size = Math.max(o.node.size, o.at);
      }
      this.view().setUint32(done, total, true);
      return OK;
    }
    list(fd, at, n, cookie, used) {
      const node = this.open.get(fd)?.node;
      if (!node?.entries) return NOTDIR;
      let done = 0, k = Number(cookie);
      for (const [name, entry] of [...node.entries].slice(k)) {
        const title = this.encoder.encode(name), one = new Uint8Array(24 + title.length), v = new DataView(one.buffer);
        v.setBigUint64(0, BigInt(++k), true);
        v.setBigUint64(8, BigInt(entry.inode), true);
        v.setUint32(16, title.length, true);
        v.setUint8(20, entry.entries ? FOLDER : FILE);
        one.set(title, 24);
        this.bytes().set(one.subarray(0, n - done), at + done);
        done += Math.min(one.length, n - done);
        if (done === n) break;
      }
      this.view().setUint32(used, done, true);
      return OK;
    }
  }

  // The functions of WASI that the program may import.
  const ofProcess = (w) => ({
    args_get: (pointers, buffer) => w.put(w.args, pointers, buffer),
    args_sizes_get: (count, total) => w.sizes(w.args, count, total),
    environ_get: (pointers, buffer) => w.put(w.environment, pointers, buffer),
    environ_sizes_get: (count, total) => w.sizes(w.environment, count, total),
    clock_res_get(id, at) { w.view().setBigUint64(at, 1000000n, true); return OK; },
    clock_time_get(id, precision, at) { w.view().setBigUint64(at, now(id), true); return OK; },
    sched_yield: () => OK,
    random_get(at, n) {
      const some = new Uint8Array(n);
      for (let k = 0; k < n; k += 65536) crypto.getRandomValues(some.subarray(k, Math.min(n, k + 65536)));
      w.bytes().set(some, at);
      return OK;
    },
    proc_exit(status) { throw new Exit(status); },
    poll_oneoff: () => INVAL,  // there is nothing to wait for
  });
  const ofDescriptors = (w) => ({
    fd_close: (fd) => w.open.delete(fd) ? OK : BADF,
    fd_fdstat_get(fd, at) {
      const o = w.open.get(fd);
      if (!o) return BADF;
      w.bytes().fill(0, at, at + 24);
      w.view().setUint8(at, typeOf(o));
      w.view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
      w.view().setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
      return OK;
    },
    fd_fdstat_set_flags: (fd) => w.open.has(fd) ? OK : BADF,
    fd_filestat_get(fd, at) {
      const o = w.open.get(fd);
      return o ? w.stat(o.node, typeOf(o), at) : BADF;
    },
    fd_filestat_set_size(fd, size) {
      const node = w.open.get(fd)?.node;
      if (!node?.data) return BADF;
      const other = new Uint8Array(Number(size));
      other.set(node.data.subarray(0, Math.min(node.size, other.length)));
      node.data = other;
      node.size = other.length;
      return OK;
    },
    fd_prestat_get(fd, at) {
      if (fd !== 3) return BADF;
      w.view().setUint32(at, 0, true);
      w.view().setUint32(at + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name(fd, at) {
      if (fd !== 3) return BADF;
      w.bytes()[at] = 47;
      return OK;
    },
    fd_read: (...a) => w.read(...a),
    fd_write: (...a) => w.write(...a),
    fd_readdir: (...a) => w.list(...a),
    fd_seek(fd, offset, from, at) {
      const o = w.open.get(fd);
      if (!o) return BADF;
      if (typeOf(o) !== FILE) return SPIPE;
      const to = Number(offset) + (from === 0 ? 0 : from === 1 ? o.at : o.node.size);
      if (to < 0) return INVAL;
      o.at = to;
      w.view().setBigUint64(at, BigInt(to), true);
      return OK;
    },
  });
  const ofPaths = (w) => ({
    path_open(fd, follow, path, n, flags, rights, inheriting, mode, at) {
      const found = w.look(fd, path, n);
      if (!found) return NOENT;
      const [create, onlyFolder, fresh, empty] = [1, 2, 4, 8].map((bit) => (flags & bit) !== 0);
      if (found.node && create && fresh) return EXIST;
      if (found.node && onlyFolder && !found.node.entries) return NOTDIR;
      if (!found.node) {
        if (!create || !found.above) return NOENT;
        found.node = file(new Uint8Array(0));
        found.above.entries.set(found.name, found.node);
      } else if (empty && found.node.data) {
        found.node.data = new Uint8Array(0);
        found.node.size = 0;
      }
      w.open.set(w.next, {node: found.node, at: 0, append: (mode & 1) !== 0});
      w.view().setUint32(at, w.next++, true);
      return OK;
    },
    path_filestat_get(fd, flags, path, n, at) {
      const found = w.look(fd, path, n);
      return found?.node ? w.stat(found.node, found.node.entries ? FOLDER : FILE, at) : NOENT;
    },
    path_create_directory(fd, path, n) {
      const found = w.look(fd, path, n);
      if (!found) return NOENT;
      if (found.node) return EXIST;
      found.above.entries.set(found.name, folder());
      return OK;
    },
    path_remove_directory(fd, path, n) {
      const found = w.look(fd, path, n);
      if (!found?.node || !found.above) return NOENT;
      if (!found.node.entries) return NOTDIR;
      if (found.node.entries.size) return NOTEMPTY;
      found.above.entries.delete(found.name);
      return OK;
    },
    path_unlink_file(fd, path, n) {
      const found = w.look(fd, path, n);
      if (!found?.node) return NOENT;
      if (found.node.entries) return ISDIR;
      found.above.entries.delete(found.name);
      return OK;
    },
    path_rename(fd, path, n, toFd, toPath, m) {
      const from = w.look(fd, path, n), to = w.look(toFd, toPath, m);
      if (!from?.node || !to?.above) return NOENT;
      from.above.entries.delete(from.name);
      to.above.entries.set(to.name, from.node);
      return OK;
    },
    path_readlink: () => INVAL,  // there are no links
  });
  const functionsOf = (w) => ({...ofProcess(w), ...ofDescriptors(w), ...ofPaths(w)});

  // Every import must be one of the functions above: a program that wants anything else is refused, whole.
  function refuseStrangers(module) {
    const known = functionsOf(new World({}, "", {}));
    const strange = WebAssembly.Module.imports(module).filter(
      (i) => i.module !== "wasi_snapshot_preview1" || i.kind !== "function" || !Object.hasOwn(known, i.name));
    if (strange.length)
      throw new Error("this program wants what the page does not have: " + strange.map((i) => i.module + "." + i.name).join(", "));
  }

  // The answer to a question (docs/howto/serve.md), or {trap: why}.
  function ask(module, models, question) {
    const w = new World(models, JSON.stringify(question), {FENCEPOST_MODELS: "/models"});
    try {
      const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: functionsOf(w)});
      w.memory = instance.exports.memory;
      try {
        instance.exports._start();
      } catch (e) {
        if (!(e instanceof Exit) || e.status !== 0) throw e;
      }
      return JSON.parse(w.said(1));
    } catch (e) {
      return {trap: `${e.message || e}`, messages: w.said(2)};
    }
  }
  return {ask, refuseStrangers};
})();

// In a Worker: {program} once, then questions {number, question}.
if (typeof WorkerGlobalScope !== "undefined" && typeof ServiceWorkerGlobalScope === "undefined") {
  let ready = null;
  self.onmessage = async ({data}) => {
    if (data.program) {
      ready = WebAssembly.compile(data.program).then((module) => {
        fencepostMachine.refuseStrangers(module);
        return module;
      });
      try {
        await ready;
        self.postMessage({ready: true});
      } catch (e) {
        self.postMessage({refused: e.message});
      }
      return;
    }
    try {
      self.postMessage({number: data.number, answer: fencepostMachine.ask(await ready, FENCEPOST.models, data.question)});
    } catch (e) {
      self.postMessage({refused: e.message});
    }
  };
}

// As the page's service worker: what has been loaded once is there without a network.
if (typeof ServiceWorkerGlobalScope !== "undefined") {
  const name = "fencepost-" + FENCEPOST.version, files = ["./", "index.html", "playground.js", "playground.css", "fencepost.wasm"];
  self.addEventListener("install", (e) => e.waitUntil(caches.open(name).then((c) => c.addAll(files)).then(() => self.skipWaiting())));
  self.addEventListener("activate", (e) => e.waitUntil(caches.keys()
    .then((all) => Promise.all(all.filter((n) => n.startsWith("fencepost-") && n !== name).map((n) => caches.delete(n))))
    .then(() => self.clients.claim())));
  self.addEventListener("fetch", (e) => {
    if (e.request.method === "GET" && new URL(e.request.url).origin === location.origin)
      e.respondWith(caches.open(name).then((c) => c.match(e.request, {ignoreSearch: true})).then((r) => r || fetch(e.request)));
  });
}
if (typeof module !== "undefined") module.exports = fencepostMachine;
