// The page with the machine in it: sliders solve it anew. Stands where live.js stands, and asks no server.

class Bench {
  constructor(given) {
    Object.assign(this, { given, message: "", solve_ms: 0, history: [], waiting: null, run: null, names: [] });
    this.first = Object.create(null);
    for (const s of given.sliders) this.first[s.name] = s.value;
    given.parameters?.forEach((name, k) => { this.first[name] ??= given.b[k]; });
    this.startNames = (given.starts ?? []).map((s) => s.name);
    for (const s of given.starts ?? []) if (!(s.name in this.first)) this.first[s.name] = s.value;
    this.values = { ...this.first };
    this.complaints = new Complaints();
    this.panel = new Panel(this);
    this.ready = this.begin();
  }

  async begin() {
    this.recorded();
    const why = this.given.refused || (typeof WebAssembly === "undefined" ? "this browser has no WebAssembly" : "");
    if (why) return this.refuse(why);
    try {
      this.solver = solverScope();
      this.machine = await this.solver.load(this.given);
    } catch (error) {
      return this.refuse(`the machine could not be compiled here (${error.message})`);
    }
    this.forces = new Loads(this);
    this.drag = new Drag(this);
    this.ghost = new Ghost();
    this.take(this.stateOf(location.hash));
    addEventListener("hashchange", () => { if (location.hash.slice(1) !== this.address) { this.remember(); this.take(this.stateOf(location.hash)); this.wish(); } });
    await this.wish();
  }

  // What was computed when the page was made, until something is computed here.
  recorded() {
    this.times = Float64Array.from(motion.t);
    this.channels = new Map([...motion.channels].map(([name, c]) => [name, { ...c, values: Float64Array.from(c.values) }]));
    if (this.given.error) this.complain(this.given.error, true);
  }
  refuse(why) {
    this.panel.refuse(why);
    this.message = `The motion is shown as it was recorded: ${why}.`;
    this.refused = true;
  }

  // -- values ----------------------------------------------------------------------------------------------------------
  get parameters() { return Object.fromEntries((this.given.parameters ?? this.given.sliders.map((s) => s.name)).map((name) => [name, this.values[name]])); }
  get state() { return Object.fromEntries(Object.keys(this.values).filter((name) => this.values[name] !== this.first[name]).map((name) => [name, this.values[name]])); }
  get address() { return new URLSearchParams(Object.entries(this.state).map(([k, v]) => [k, String(v)])).toString(); }
  stateOf(hash) {
    const out = Object.create(null);
    for (const [name, text] of new URLSearchParams(hash.slice(1))) {
      const x = Number(text);
      if (name in this.first && text !== "" && !this.wrong(name, x)) out[name] = x;
    }
    return out;
  }
  // Why a value cannot be calculated with; "" if it can.
  wrong(name, x) {
    if (typeof x !== "number" || !Number.isFinite(x)) return `${name} must be a finite number, not ${String(x)}`;
    return Math.abs(x) > this.given.largest ? `${name} is ${x}: beyond ${this.given.largest.toExponential(0)} numbers cannot be calculated with; check its unit` : "";
  }
  // These values, the others as the model has them.
  take(state) {
    this.values = { ...this.first, ...state };
    this.panel.show();
  }
  remember() {
    this.history.push(this.state);
    if (this.history.length > 200) this.history.shift();
    this.keepBefore();
  }
  // What is shown now is what later settings are compared with.
  keepBefore() { if (this.run) this.before = { t: this.times, judged: motion.judged(this.times.length), channels: this.channels, poses: new Map(motion.poses), drawing: structuredClone(page.drawing) }; }
  undo() {
    if (!this.history.length) return this.ready;
    this.keepBefore();
    this.take(this.history.pop());
    return this.wish();
  }
  reset() {
    if (Object.keys(this.state).length) this.remember();
    else this.keepBefore();
    this.take({});
    return this.wish();
  }
  async set(wanted) {
    await this.ready;
    if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return this.say(`set takes values by name, such as set({ ${Object.keys(this.first)[0] ?? "r"}: 1 }), not ${String(wanted)}`);
    for (const [name, x] of Object.entries(wanted)) {
      if (!(name in this.first)) return this.say(`there is no parameter or start value ${JSON.stringify(name)}; there are: ${Object.keys(this.first).join(", ")}`);
      const why = this.wrong(name, x);
      if (why) return this.say(why);
    }
    if (this.refused) return undefined;
    this.remember();
    Object.assign(this.values, wanted);
    this.panel.show();
    return this.wish();
  }
  say(text) { this.message = text; this.complain({ element: [], cause: text }, true); }

  // -- solving ---------------------------------------------------------------------------------------------------------
  // The newest wish alone is computed; whoever waits for an older one waits for it.
  wish() {
    if (this.refused) return Promise.resolve();
    this.panel.buttons();
    try { history.replaceState(null, "", this.address ? `#${this.address}` : location.pathname + location.search); } catch { /* in a frame without an address */ }
    this.waiting ??= (async () => {
      await (this.turn ?? null);
      this.waiting = null;
      this.turn = this.solve();
      await this.turn;
    })();
    return this.waiting;
  }

  async solve() {
    const clock = performance.now();
    byId("stage").ariaBusy = "true";
    try {
      const found = await this.computed();
      this.solve_ms = performance.now() - clock;
      if (found.t && (!found.trouble || !this.run || motion.sure)) this.told(found);
      else this.complain(found.trouble, false, found.t ? { whole: () => this.told(found) } : {});  // the last picture of a whole motion stays
    } catch (error) {
      this.complain({ element: [], cause: `the page failed: ${error.message}`, remedy: "please report this" }, false);
      console.error(error);
    } finally {
      byId("stage").ariaBusy = "false";
      this.panel.tell(this.solve_ms);
    }
  }
  wanted() {
    const { state } = this;
    return { values: this.parameters, starts: Object.fromEntries(this.startNames.filter((n) => n in state).map((n) => [n, state[n]])) };
  }
  async computed() {
    const parts = this.wanted();
    if (this.solve_ms <= this.given.heavy) {
      const found = this.machine.solve({ ...parts, patience: this.noWorker ? Infinity : this.given.heavy });
      if (!found.slow) return found;
    }
    if (!this.noWorker) {
      this.panel.tell("solving …");
      try {
        this.worker ??= await Aside.made(this.given);
        return await this.worker.ask(parts);
      } catch {
        this.noWorker = true;
      }
    }
    return this.machine.solve(parts);
  }

  // -- showing ---------------------------------------------------------------------------------------------------------
  told(found) {
    this.complain(found.trouble ?? null, true, found);
    this.show(found);
  }
  show(found) {
    const count = found.t.length;
    this.drag.live?.end();
    this.drag.live = null;
    const { before } = this, first = !this.run, told = Boolean(motion.sure || found.sure);
    this.run = found;
    this.times = motion.t = found.t;
    motion.sure = found.sure ?? null;  // the motion ends where it locks up, and goes there and back
    this.channels = found.channels;
    this.poses(found);
    this.kept = motion.still = null;
    this.reshape(found);
    followed.tell(found.channels);
    const faint = (values) => [before.t, values].map((x) => x.subarray(before.judged[0], before.judged[1] + 1));  // without the peaks of a dead point
    motion.channels = new Map([...found.channels].map(([name, c]) => [name, { ...c, ghost: before?.channels.has(name) ? faint(before.channels.get(name).values) : null }]));
    page.motion.stored = count;
    followed.maps = [motion.channels, found.channels];
    this.forces.take(found);
    page.audit = found.told;
    stage.renew();
    this.ghost.take(before ?? null);
    plots.build();
    timeEnds();
    showTexts();
    if (first) player.pace();
    if (first || told) stage.refit();  // arrows and their legend, or what is told, came with it
    player.seek(Math.min(player.time, motion.end));
  }
  poses({ t, q }) {
    const { width } = motion;
    for (const [name, [at]] of Object.entries(this.given.bodies)) {
      const poses = new Float64Array(t.length * width);
      q.forEach((row, k) => poses.set(row.subarray(at, at + width), k * width));
      motion.poses.set(name, poses);
    }
  }
  // One moment in place of the run, while a body is held; and the run again. moving: of pictures one after the other, names in every
  // second.
  frame(single, moving = false) {
    this.kept ??= motion.channels;
    this.poses(single);
    followed.tell(single.channels);
    motion.channels = single.channels;
    motion.still = { k: 0, next: 0, w: 0 };
    this.forces.placeAll(single);
    stage.draw(motion.still, (this.second = !this.second) || !moving, moving);
    if (!moving) inspector.draw();
  }
  restore() {
    if (!this.kept) return;
    motion.channels = this.kept;
    followed.tell(motion.channels);
    this.kept = motion.still = null;
    this.poses(this.run);
    this.forces.placeAll(this.run);
    stage.draw(motion.place(player.time));
  }
  // Lengths in the drawing follow from parameters.
  reshape({ drawing }) {
    const { drawn } = this.given, all = { drawing: page.drawing, traces: page.traces, arrows: this.given.arrows, torques: this.given.torques };
    drawn.forEach((path, k) => { if (Number.isFinite(drawing[k])) path.slice(0, -1).reduce((x, key) => x[key], all)[path.at(-1)] = drawing[k]; });  // a triangle whose sides do not meet stays as it was
  }

  complain(error, fits, { t, locks, whole } = {}) {
    const way = error && t && `It is shown as far as it goes, there and back: ${t[0] === this.given.t[0] ? "" : `from t = ${lasting(t[0])}${locks ? `, where ${locks.element.join(", ")} lock${locks.element.length === 1 ? "s" : ""} it as well,` : ""} `}to t = ${lasting(t.at(-1))}.`;
    const more = whole ? [html("button", { id: "show-reach", type: "button", textContent: "Show as far as it goes", onclick: whole })] : way ? [html("p", { id: "reach", textContent: way })] : [];
    this.message = this.complaints.tell(error, fits, more);
    this.complaints.box.classList.toggle("over", Boolean(error && t));  // the machine is shown above it
  }
}
const lasting = (t) => `${shown(Number(t.toPrecision(4)))} s`;

// The same machine in a thread of its own.
class Aside {
  static async made(given) {
    const text = `const solver = (${solverScope})();
let machine;
onmessage = async ({ data }) => {
  if (data.given) { machine = await solver.load(data.given); return postMessage({ ready: true }); }
  postMessage({ found: machine.solve(data.parts) });
};`;
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" })), out = new Aside(new Worker(url));
    await out.answer({ given: { ...JSON.parse(JSON.stringify({ ...given, codes: null })), codes: given.codes } });
    return out;
  }
  constructor(worker) { this.worker = worker; }
  answer(question) {
    return new Promise((done, fail) => {
      this.worker.onmessage = ({ data }) => done(data);
      this.worker.onerror = (event) => { event.preventDefault?.(); fail(new Error(event.message)); };
      this.worker.postMessage(question);
    });
  }
  async ask(parts) { return (await this.answer({ parts })).found; }
}

// The machine as the page holds it: the length of what is told of it, that, and its modules.
function unpacked(told) {
  const bytes = inflated(byId("packed-machine").textContent), size = new DataView(bytes.buffer).getUint32(0, true), given = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  let at = 4 + size;
  return { ...told, ...given, codes: given.codes.map((count) => bytes.slice(at, at += count)) };
}

const bench = new Bench(unpacked(page.machine));
window.linkwright = {
  get parameters() { return bench.parameters; },
  get values() { return { ...bench.values }; },
  set: (values) => bench.set(values),
  get times() { return bench.times; },
  channel(name) {
    const found = bench.channels.get(name);
    if (!found) throw new Error(`there is no channel ${JSON.stringify(name)}`);
    return found.values;
  },
  get channels() { return [...bench.channels.keys()]; },
  get events() { return bench.run?.events ?? []; },
  get message() { return bench.message; },
  get solve_ms() { return bench.solve_ms; },
  get state() { return bench.state; },
  get ready() { return bench.ready; },
  reset: () => bench.reset(),
  undo: () => bench.undo(),
  place: (body) => placeOf(body),
};

// Where a body is on the screen.
function placeOf(body) {
  const at = motion.place(player.time), found = page.drawing.bodies.find((b) => b.name === body);
  if (!found) throw new Error(`there is no body ${JSON.stringify(body)}`);
  const [x, y] = onPage(motion.point(body, found.com, at)) ?? [NaN, NaN];
  return { x, y };
}
