// A machine that travels: whose way is longer than it is itself. It is looked at from beside it, and its floor comes along.

class Travel {
  constructor(drawing, motion, axes, box) {
    Object.assign(this, { motion, axes, box, far: false });
    const bodies = drawing.bodies.filter((b) => b.name !== "ground" && motion.poses.has(b.name)), mass = bodies.reduce((m, b) => m + b.mass, 0);
    this.parts = bodies.map((b) => [b.name, b.com, mass > 0 ? b.mass / mass : 1 / bodies.length]);
    const frames = someFrames(motion, 30), size = ([p, q]) => Math.hypot(...p.map((x, i) => q[i] - x));
    if (!bodies.length || size(box) === 0) return;
    this.start = this.middle(frames[0]);
    const way = Math.max(...frames.map((at) => Math.hypot(...this.moved(at))));
    // all of it as it is beside its own middle
    const beside = (at) => { const d = this.moved(at); return bodies.flatMap((b) => [...b.points, b.com, ...b.shapes.flatMap(reaches)].map((p) => motion.point(b.name, p, at).map((x, i) => x - d[i]))); };
    const near = hold([[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]], frames.flatMap(beside));
    if (way < 1.2 * size(near)) return;
    this.far = true;
    this.box = near;
  }
  middle(at) {
    const out = [0, 0, 0];
    for (const [name, com, share] of this.parts) this.motion.point(name, com, at).forEach((x, i) => { out[i] += share * x; });
    return out;
  }
  // How far it is from where it began, along the floor.
  moved(at) {
    const d = this.middle(at).map((x, i) => x - this.start[i]), up = dot(d, this.axes[2]);
    return d.map((x, i) => x - up * this.axes[2][i]);
  }
  // How far one has to go along with it.
  at(at) { return this.far ? this.moved(at) : [0, 0, 0]; }
}

// Places of a shape about as far out as it goes.
function reaches(shape) {
  if (shape.kind === "mesh") return shape.size.vertices.slice(0, 50);
  const r = 0.7 * Math.hypot(...shape.size.map((x) => (shape.kind === "box" ? x / 2 : x)));
  return [-r, r].flatMap((d) => [0, 1, 2].map((k) => shape.at.map((x, i) => x + (i === k ? d : 0))));
}

// Wheels whose axes are not parallel are cones: how much smaller they are at their far side, and where that is.
function bevels(trains, motion) {
  const at = { k: 0, next: 0, w: 0 };
  for (const { i, j } of trains.meshes) {
    if (!i.radius || !j.radius) continue;
    const [z, h] = [i, j].map((w) => motion.direction(w.body, framed(w.end).axes[2], at)), cos = Math.abs(dot(z, h)), [P, Q] = [i, j].map((w) => motion.point(w.body, w.end.at, at));
    if (cos > 0.98) continue;
    for (const [w, other, axis, d] of [[i, j, z, minus(Q, P)], [j, i, h, minus(P, Q)]]) {
      const far = (Math.abs(w.radius) * (Math.abs(other.radius / w.radius) + cos)) / Math.sqrt(1 - cos * cos);  // to the tip of the cone
      w.taper = Math.min(0.6, (0.22 * Math.abs(w.radius)) / far);
      w.apex = Math.sign(dot(d, axis)) || 1;
    }
  }
}
