// Gears, in the plane and in space: which wheels there are, how many teeth each has, and how these stand so that they go into the
// gaps of the next. Numbers of teeth are of the drawing, as near to the ratio of the radii as may be; where the ratio is none of whole
// numbers the teeth creep along their wheel, unseen, and still go into each other.

const PRESSURE = Math.PI / 9;  // angle of pressure of the teeth
const TEETH = { least: 14, most: 48 };  // of the smallest wheel of a train
const TURN = 2 * Math.PI;
const involute = (a) => Math.tan(a) - a;

// The outline of a wheel about its centre, a tooth at angle zero; inner: of a ring, whose teeth point inwards. Of half a tooth the
// angle at radius r is pi / 2N + inv(a) - inv(acos(r_base / r)); a gap of a ring is the tooth of a wheel.
function toothed(teeth, radius, module, inner = false) {
  const base = radius * Math.cos(PRESSURE), tip = radius + (inner ? 1.25 : 1) * module, root = radius - (inner ? 1 : 1.25) * module;
  const half = (r) => (inner ? 1.04 : 0.96) * (Math.PI / (2 * teeth)) + involute(PRESSURE) - involute(Math.acos(Math.min(1, base / r)));
  const from = Math.max(base, root), flank = [0, 0.3, 0.65, 1].map((s) => from + s * (tip - from)).map((r) => [r, Math.max(half(r), 0.0005)]);
  if (root < base) flank.unshift([root, Math.max(half(base), 0.0005)]);
  const points = [], shift = inner ? Math.PI / teeth : 0;
  for (let k = 0; k < teeth; k++) {
    const middle = (k / teeth) * TURN + shift, put = ([r, a], side) => points.push([r * Math.cos(middle + side * a), r * Math.sin(middle + side * a)]);
    for (const p of flank) put(p, -1);
    for (const p of flank.slice().reverse()) put(p, 1);
  }
  return points;
}

// The teeth of a rack along x, one at zero, pointing to y > 0, from one place to another: from root to root.
function rackTeeth(from, to, module) {
  const pitch = Math.PI * module, slope = Math.tan(PRESSURE), points = [];
  for (let k = Math.ceil(from / pitch - 0.5); k <= Math.floor(to / pitch + 0.5); k++) {
    for (const [side, y] of [[-1, -1.25], [-1, 1], [1, 1], [1, -1.25]]) points.push([k * pitch + side * (0.24 * pitch - y * module * slope), y * module]);
  }
  return points;
}

class Trains {
  // pitch: from tooth to tooth, so large that teeth are seen
  constructor(drawing, motion, pitch) {
    Object.assign(this, { motion, wanted: pitch, wheels: new Map(), meshes: [] });
    for (const e of drawing.elements) {
      if (e.kind !== "Gear" && e.kind !== "RackPinion") continue;
      const radii = e.radii ?? [0, e.radius], [i, j] = e.ends.map((end, k) => this.wheel(end, radii[k]));
      this.meshes.push({ element: e.name, i, j });
    }
    this.order = this.trains();
    for (const train of this.order) this.count(train);
  }
  // Teeth that creep go on.
  turn(at) { for (const train of this.order) for (const w of train) if (w.creeps) w.stand = this.follow(w, at); }

  // A rack is a wheel of radius zero here.
  wheel(end, radius) {
    const key = `${end.body} ${end.at} ${radius}`;
    if (!this.wheels.has(key)) this.wheels.set(key, { end, body: end.body, radius, stand: 0, by: null });
    return this.wheels.get(key);
  }
  of(body) { return [...this.wheels.values()].filter((w) => w.body === body); }

  // Wheels that are in mesh, one after the other: each but the first follows another.
  trains() {
    const left = new Set(this.wheels.values()), out = [];
    while (left.size) {
      const first = [...left].find((w) => !w.radius) ?? [...left][0], train = [first];
      left.delete(first);
      for (const w of train) {
        for (const mesh of this.meshes) {
          const other = mesh.i === w ? mesh.j : mesh.j === w ? mesh.i : null;
          if (!left.has(other)) continue;
          other.by = mesh;
          left.delete(other);
          train.push(other);
        }
      }
      out.push(train);
    }
    return out;
  }

  // Numbers of teeth: those that fit best, also where wheels come together in a ring, and teeth neither too small nor too few.
  count(train) {
    const start = { k: 0, next: 0, w: 0 }, round = train.filter((w) => w.radius), smallest = Math.min(...round.map((w) => Math.abs(w.radius)));
    const wanted = Math.min(TEETH.most, Math.max(TEETH.least + 4, Math.round((TURN * smallest) / this.wanted))), closing = this.closing(train);
    let best = null;
    for (let n = TEETH.least; n <= TEETH.most; n++) {
      const off = Math.max(...round.map((w) => Math.abs((n * Math.abs(w.radius)) / smallest - Math.round((n * Math.abs(w.radius)) / smallest))));
      this.give(train, n, smallest);
      for (const w of train) w.stand = this.follow(w, start);
      const gap = Math.max(0, ...closing.map((mesh) => Math.abs(this.misfit(mesh, start))));
      const cost = 8 * (off > 1e-6 ? 0.3 + off : 0) + 8 * (gap > 0.03 ? 0.3 + gap : 0) + Math.abs(Math.log(n / wanted));
      if (!best || cost < best.cost) best = { n, cost, exact: off <= 1e-6 };
    }
    this.give(train, best.n, smallest);
    for (const w of train) {
      w.stand = this.follow(w, start);
      w.creeps = !best.exact && Boolean(w.by);
    }
  }
  give(train, n, smallest) {
    for (const w of train) {
      w.module = (2 * smallest) / n;
      w.teeth = Math.round((n * Math.abs(w.radius)) / smallest);
    }
  }
  // Pairs that close a ring of wheels: those that no wheel follows, and wheels that run in a ring gear without being told to.
  closing(train) {
    const told = this.meshes.filter((mesh) => train.includes(mesh.i) && mesh.i.by !== mesh && mesh.j.by !== mesh);
    const at = { k: 0, next: 0, w: 0 }, place = (w) => this.motion.point(w.body, w.end.at, at);
    const rings = train.filter((w) => w.radius < 0), inside = train.filter((w) => w.radius > 0);
    const silent = rings.flatMap((i) => inside.filter((j) => Math.abs(Math.hypot(...place(i).map((x, k) => x - place(j)[k])) + i.radius + j.radius) < 1e-3 * j.radius).map((j) => ({ i, j })));
    return [...told, ...silent];
  }

  // Where a wheel touches the other of a mesh: the direction from its centre, in the world, and the way its rim goes there.
  touch(w, mesh, at) {
    const { motion } = this, other = mesh.i === w ? mesh.j : mesh.i, [P, Q] = [w, other].map((x) => solid3(motion.point(x.body, x.end.at, at)));
    const [x, y] = axesOf(w.end).map((v) => solid3(motion.direction(w.body, v, at))), z = crossed(x, y);
    if (!w.radius) return { a: dots(minus(Q, P), x), f: (dots(minus(Q, P), x) - w.stand) / this.pitch(w), way: x };
    const sign = w.radius < 0 || other.radius > 0 ? 1 : -1, d = minus(Q, P), ry = other.radius ? null : solid3(motion.direction(other.body, axesOf(other.end)[1], at));
    const u = ry ? ry.map((v) => -v * Math.sign(dots(minus(P, Q), ry))) : d.map((v) => sign * v);  // a rack is touched square to its line
    const a = Math.atan2(dots(u, y), dots(u, x)), ex = Math.cos(a), ey = Math.sin(a), way = crossed(z, x.map((v, k) => ex * v + ey * y[k]));
    return { a, f: (a - w.stand) / this.pitch(w), way };
  }
  // From tooth to tooth: an angle, of a rack a length.
  pitch(w) { return w.radius ? TURN / w.teeth : Math.PI * w.module; }
  // Of a mesh, in pitches: how far a tooth of the one is from the gap of the other.
  misfit(mesh, at) {
    const i = this.touch(mesh.i, mesh, at), j = this.touch(mesh.j, mesh, at), f = j.f - 0.5 - Math.sign(dots(i.way, j.way)) * i.f;
    return f - Math.round(f);
  }
  // The angle of a tooth on its wheel (its place on a rack), so that it goes into the gaps of the wheel it follows.
  follow(w, at) {
    if (!w.by) return 0;
    const other = w.by.i === w ? w.by.j : w.by.i, own = this.touch(w, w.by, at), lead = this.touch(other, w.by, at);
    return own.a - this.pitch(w) * (0.5 + Math.sign(dots(own.way, lead.way)) * lead.f);
  }

  // The pitch point of a mesh in the world.
  pitchPoint({ i, j }, at) {
    const round = i.radius ? i : j, mesh = { i, j }, { motion } = this, P = motion.point(round.body, round.end.at, at), { a } = this.touch(round, mesh, at);
    const [x, y] = axesOf(round.end).map((v) => motion.direction(round.body, v, at)), r = Math.abs(round.radius);
    return P.map((p, k) => p + r * (Math.cos(a) * x[k] + Math.sin(a) * y[k]));
  }
}

const solid3 = (v) => [v[0], v[1], v[2] ?? 0];
const minus = (a, b) => a.map((x, k) => x - b[k]);
const dots = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const crossed = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// The x and y axes of the frame of an end, in the axes of its body.
function axesOf(end) {
  const c = Math.cos(end.angle ?? 0), s = Math.sin(end.angle ?? 0);
  return end.axes?.slice(0, 2) ?? [[c, s], [-s, c]];
}
