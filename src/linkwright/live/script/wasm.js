// The compiled machine: functions of arrays, and loops that call them, in one memory.

class Code {
  static async load(data) {
    const [loops, functions, closures] = data.codes;
    const own = (await WebAssembly.instantiate(loops, {})).instance.exports;
    own.memory.grow(Math.ceil(data.free / 65536));
    const made = (await WebAssembly.instantiate(functions, { env: { memory: own.memory } })).instance.exports;
    const bound = closures ? (await WebAssembly.instantiate(closures, { env: { memory: own.memory }, loops: own })).instance.exports : {};
    return new Code(data, own, made, bound);
  }

  constructor(data, loops, functions, bound) {
    Object.assign(this, { data, loops, functions, memory: loops.memory, end: data.free });
    this.inputs = Object.create(null);
    this.slot = Object.create(null);
    this.outputs = Object.create(null);
    this.tables = Object.create(null);
    const names = Object.keys(data.functions), at = loops.table.grow(names.length);
    names.forEach((name, k) => { loops.table.set(at + k, functions[name]); this.slot[name] = at + k; });
    for (const [name, size] of Object.entries(data.sizes)) this.inputs[name] = this.room(size);
    for (const [name, { ins, outs }] of Object.entries(data.functions)) {
      this.outputs[name] = Object.fromEntries(Object.entries(outs).map(([k, size]) => [k, this.room(size)]));
      this.tables[name] = [this.pointers(ins.map((k) => this.inputs[k])), this.pointers(Object.values(this.outputs[name]))];
    }
    for (const [name, closure] of Object.entries(data.closures)) this.close(name, closure, bound[name]);
  }
  // A loop with fixed arguments, which stand in its block, as a function of (ins, outs).
  close(name, { block, fixed, outs }, own) {
    this.slot[name] = this.loops.table.grow(1);
    this.loops.table.set(this.slot[name], own);
    this.outputs[name] = Object.fromEntries(Object.entries(outs).map(([k, size]) => [k, this.room(size)]));
    this.tables[name] = [null, this.pointers(Object.values(this.outputs[name]))];
    const place = (x) => (Array.isArray(x) ? this.holding(x, BigInt64Array).at : x.code ? this.slot[x.code] : x.ins ? this.tables[x.ins][0].at : x.outs ? this.tables[x.outs][1].at : this.room(x.room).at), found = fixed.map(place);
    new Uint32Array(this.memory.buffer, block, fixed.length).set(found);
  }

  // Room for numbers; `.a` is an array of them, also after memory has grown.
  room(count, Kind = Float64Array) {
    const at = Math.ceil(this.end / 8) * 8, { memory } = this;
    this.end = at + 8 * Math.max(count, 1);
    const missing = this.end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536) + 16);
    let view = null;
    return { at, count, get a() { if (view?.buffer !== memory.buffer) view = new Kind(memory.buffer, at, count); return view; } };
  }
  holding(values, Kind = Float64Array) {
    const room = this.room(values.length, Kind);
    room.a.set(Kind === BigInt64Array ? Array.from(values, BigInt) : values);
    return room;
  }
  pointers(rooms) {
    const at = this.room(Math.ceil(rooms.length / 2)).at;
    new Uint32Array(this.memory.buffer, at, rooms.length).set(rooms.map((r) => r.at));
    return { at };
  }

  has(name) { return name in this.slot; }
  // The outputs of a function, by name; they are overwritten by the next call.
  call(name, values = {}) {
    for (const key in values) this.inputs[key].a.set(values[key]);
    const [ins, outs] = this.tables[name];
    this.functions[name](ins.at, outs.at);
    return this.outputs[name];
  }
  // A loop: rooms are passed by address, functions (text) by their place in the table, numbers as whole numbers (BigInt) if they are so.
  loop(name, args) { return this.loops[name](...args.map((x) => (typeof x === "string" ? (this.slot[x] ?? 0) : typeof x === "object" ? x.at : x))); }
}
