// A machine that travels: whose way is longer than it is itself. One goes along with it, and in space its floor comes, too.

class Travel {
  // up: what is not gone along with; least: so many times as long as the machine is a long way; reaches(shape): how far it goes
  constructor(drawing, motion, up, box, least, reaches) {
    Object.assign(this, { motion, up, box, far: false });
    const bodies = drawing.bodies.filter((b) => b.name !== "ground" && motion.poses.has(b.name)), mass = bodies.reduce((m, b) => m + b.mass, 0);
    this.parts = bodies.map((b) => [b.name, b.com, mass > 0 ? b.mass / mass : 1 / bodies.length]);
    const frames = someFrames(motion, 30), size = ([p, q]) => Math.hypot(...p.map((x, i) => q[i] - x));
    if (!bodies.length || size(box) === 0) return;
    this.start = this.middle(frames[0]);
    const way = Math.max(...frames.map((at) => Math.hypot(...this.moved(at))));
    // all of it as it is beside its own middle
    const beside = (at) => { const d = this.moved(at); return bodies.flatMap((b) => [...b.points, b.com, ...b.shapes.flatMap(reaches)].map((p) => motion.point(b.name, p, at).map((x, i) => x - d[i]))); };
    const near = hold([box[0].map(() => Infinity), box[0].map(() => -Infinity)], frames.flatMap(beside));
    if (way < least * size(near)) return;
    this.far = true;
    this.box = near;
  }
  middle(at) {
    const out = this.motion.width === 3 ? [0, 0] : [0, 0, 0];
    for (const [name, com, share] of this.parts) this.motion.point(name, com, at).forEach((x, i) => { out[i] += share * x; });
    return out;
  }
  // How far it is from where it began, but for heights.
  moved(at) {
    const d = this.middle(at).map((x, i) => x - this.start[i]), up = d.reduce((s, x, i) => s + x * this.up[i], 0);
    return d.map((x, i) => x - up * this.up[i]);
  }
  // How far one has to go along with it.
  at(at) { return this.far ? this.moved(at) : this.up.map(() => 0); }
}
