// Arrows of forces after a solution: which are told, where they act; rails as far as they are used.

const NOISE = 1e-9, LIGHT = 1e-12, EARTH = 9.81, FAINT = 1e-6;

class Loads {
  constructor(bench) {
    this.bench = bench;
    const box = this.points();
    // what gears add to the box of the points, and shapes in space, as it was when the page was made
    this.rim = page.motion.box.map((end, k) => end.map((x, i) => x - box[k][i]));
  }

  take(run) {
    const { given } = this.bench, box = this.points();
    page.motion.box = box.map((end, k) => end.map((x, i) => x + this.rim[k][i]));
    page.motion.spans = spansOf(page.drawing);
    const size = Math.max(...page.motion.box.flat().map(Math.abs)), mass = page.drawing.bodies.reduce((m, b) => m + b.mass, 0);
    this.placeAll(run);
    const channels = (a) => a.names ?? a.sizes ?? [a.size], known = (a) => channels(a).every((c) => motion.channels.has(c));
    const most = (a) => longest(channels(a).map((c) => motion.channels.get(c).values));
    const forces = given.arrows.filter(known), turns = given.torques.filter(known);
    const least = Math.max(NOISE * Math.max(mass * Math.hypot(...page.drawing.gravity), ...forces.map(most)), LIGHT * mass * EARTH, 1e-15);
    page.motion.loaded = forces.length > 0;
    page.motion.arrows = forces.filter((a) => most(a) > least);
    const enough = Math.max(least * size, ...turns.map((a) => FAINT * most(a)));
    page.motion.torques = turns.filter((a) => most(a) > enough);
  }

  placeAll(run) { for (const a of [...this.bench.given.arrows, ...this.bench.given.torques]) this.place(a, run); }
  // Where the reaction of a joint is told for: on its body, or moving.
  place(a, run) {
    const k = a.joint, n = motion.dimension;
    if (a.touch !== undefined && run.touches) {  // of each pair the place, and as many directions as axes
      const from = a.touch * n * (n + 1), rows = (i) => Float32Array.from(run.touches.flatMap((row) => [...row.subarray(from + i * n, from + (i + 1) * n)]));
      a.points = rows(0);
      a.along = a.sizes.map((_, i) => rows(i + 1));
      return;
    }
    if (k === undefined || !run.points?.length) return;
    if (a.body === undefined) {
      a.points = Float32Array.from(run.points.flatMap((row) => [...row.subarray(k * n, (k + 1) * n)]));
      return;
    }
    a.at = motion.within(a.body, run.points[0].subarray(k * n, (k + 1) * n), { k: 0, next: 0, w: 0 });
  }

  points() {
    const all = [], frames = someFrames(motion, 60);
    for (const b of page.drawing.bodies) {
      const own = b.points.length ? [...b.points] : b.name === "ground" ? [] : [b.com];
      if (own.length) own.push(...b.shapes.flatMap(cornersOf), ...page.drawing.curves.filter((c) => c.body === b.name).flatMap((c) => c.points));
      for (const p of own) for (const at of b.name === "ground" ? frames.slice(0, 1) : frames) all.push(motion.point(b.name, p, at));
    }
    return hold(all.length ? [all[0], all[0]] : [[0, 0, 0].slice(0, motion.dimension), [0, 0, 0].slice(0, motion.dimension)], all);
  }
}

// Of a shape in the plane.
function cornersOf({ kind, at, angle, size }) {
  if (angle === undefined) return [];
  if (kind === "box") return rectangle(at, angle, ...size);
  if (kind === "circle") return rectangle(at, 0, 2 * size[0], 2 * size[0]);
  const c = Math.cos(angle), s = Math.sin(angle);
  return size.map(([x, y]) => [at[0] + c * x - s * y, at[1] + s * x + c * y]);
}

function longest(columns) {
  const [from, to] = motion.judged(columns[0].length);
  let most = 0;
  for (let k = from; k <= to; k++) { const l = Math.hypot(...columns.map((c) => c[k])); if (l > most) most = l; }
  return most;
}

// How far each sliding joint goes; as `view.frames.spans`.
const SLIDES = ["Translational", "PointOnLine", "Cylindrical", "Screw", "RevoluteCylindrical", "RevoluteTranslational", "Strut"];
function spansOf(drawing) {
  const out = {};
  for (const e of drawing.elements) {
    if (!SLIDES.includes(e.kind) || e.ends.length !== 2) continue;
    const k = Number(e.kind.startsWith("Revolute") || (e.kind === "Translational" && e.ends[1].body === "ground")), line = e.ends[k], point = e.ends[1 - k];
    const h = line.axes ? line.axes[2] : [Math.cos(line.angle ?? 0), Math.sin(line.angle ?? 0)];
    let from = Infinity, to = -Infinity;
    for (let i = 0; i < motion.t.length; i++) {
      const at = { k: i, next: i, w: 0 }, a = motion.point(point.body, point.at, at), b = motion.point(line.body, line.at, at), d = motion.direction(line.body, h, at);
      const along = d.reduce((s, x, j) => s + x * (a[j] - b[j]), 0);
      from = Math.min(from, along);
      to = Math.max(to, along);
    }
    out[e.name] = { line: k, from, to };
  }
  return out;
}
