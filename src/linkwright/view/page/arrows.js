// Arrows of forces and torques: where each starts, its components, and the largest of all, which decides the scale. A contact has
// sizes, pressing and rubbing, each along a direction of its own.

// The length of an arrow, as part of the longest, by its part of the largest force. With the square root a hundredth of the
// largest force is still a tenth as long.
const LAWS = { compressed: Math.sqrt, linear: (x) => x };
const FULL = 1.5 * Math.PI;  // how far the arc of the largest torque goes round

function scaled(arrows, motion) {
  const unit = (v, l = Math.hypot(...v)) => v.map((x) => (l > 0 ? x / l : 0)), width = motion.dimension;
  const list = arrows.map((a) => {
    if (typeof a.points === "string") a.points = decode(a.points, Float32Array);  // a page that is moved has others
    const over = (rows, at) => Array.from({ length: width }, (_, i) => rows[at.k * width + i] * (1 - at.w) + rows[at.next * width + i] * at.w);
    const point = (at) => (a.points ? over(a.points, at) : motion.point(a.body, a.at, at));
    const pressing = (at) => a.sizes.map((c, i) => over(a.along[i], at).map((x) => x * motion.value(c, at))).reduce((F, G) => F.map((x, k) => x + G[k]));
    const along = (at) => a.axis ? motion.direction(a.of, a.axis, at)
      : a.toward ? unit(motion.point(a.toward.body, a.toward.at, at).map((x, i) => x - point(at)[i]))
      : [1];  // a torque in the plane
    const start = (at) => (a.ahead ? point(at).map((x, i) => x + a.ahead * along(at)[i]) : point(at));
    const value = a.sizes ? pressing : a.names ? (at) => a.names.map((n) => motion.value(n, at))
      : (at) => { const F = a.sign * motion.value(a.size, at), f = a.rubs ? a.sign * motion.value(a.rubs, at) : 0, d = along(at); return d.map((x, i) => F * x + (f ? f * [d[1], -d[0]][i] : 0)); };
    return { ...a, start, value };
  });
  const [from, to] = motion.judged(motion.t.length);
  let largest = 0;
  for (const a of list) {
    for (let k = from; k <= to; k++) {
      const l = Math.hypot(...a.value({ k, next: k, w: 0 }));
      if (l > largest) largest = l;  // not so where there is no value
    }
  }
  return { list: largest > 0 ? list : [], largest: largest || 1, law: "compressed" };
}

// A force or torque as it is drawn: the longest has length one.
function part(F, { largest, law }) {
  const l = Math.hypot(...F);
  return l > 0 ? F.map((x) => (x / l) * LAWS[law](Math.min(1, l / largest))) : F.map(() => 0);
}

// Some frames of the motion, for what need not be seen in all of them.
function someFrames(motion, most) {
  const step = Math.ceil(motion.t.length / most);
  return Array.from({ length: Math.ceil(motion.t.length / step) }, (_, i) => ({ k: i * step, next: i * step, w: 0 }));
}

// As many frames that so many points a frame are not too many.
function few(points) { return Math.max(3, Math.min(40, Math.floor(40000 / (points || 1)))); }

// Where arrows start, and how they are drawn.
function spread(arrows, motion) {
  return arrows.list.flatMap((a) => someFrames(motion, few(arrows.list.length)).map((at) => [a.start(at), part(a.value(at), arrows)]));
}

// Torques about one place, whatever bodies it is told on: one ring around the other.
function rings(torques, motion, size) {
  const seen = [], frames = someFrames(motion, 3);
  for (const a of torques.list) {
    const places = frames.map((at) => a.start(at)), same = (b) => b.every((p, k) => Math.hypot(...p.map((x, i) => x - places[k][i])) < 1e-3 * size);
    a.ring = seen.filter(same).length;
    seen.push(places);
  }
  return torques;
}

// A box that also holds these points.
function hold([low, high], points) {
  const ends = [[...low], [...high]];
  for (const p of points) p.forEach((x, i) => { ends[0][i] = Math.min(ends[0][i], x); ends[1][i] = Math.max(ends[1][i], x); });
  return ends;
}

// On the screen, where y is down.
function arrow([x, y], [dx, dy]) {
  const l = Math.hypot(dx, dy);
  return l >= 1.5 ? `M${hundredths(x)} ${hundredths(y)}L${hundredths(x + dx)} ${hundredths(y + dy)}${head([x + dx, y + dy], [dx / l, dy / l], Math.min(10, 0.6 * l))}` : "";
}

// About a place, from above it on; turn > 0: counter-clockwise.
function arc([x, y], radius, turn, largestHead = 10) {
  const l = radius * Math.abs(turn), size = Math.min(largestHead, 0.6 * l), sense = Math.sign(turn);
  if (!(l >= 1.5)) return "";
  const at = (a) => [x - radius * Math.sin(a), y - radius * Math.cos(a)], tip = at(turn), neck = at(turn - (sense * size) / radius);
  const along = [0, 1].map((i) => (tip[i] - neck[i]) / Math.hypot(tip[0] - neck[0], tip[1] - neck[1]));
  return `M${at(0).join(" ")}A${radius} ${radius} 0 ${l > Math.PI * radius ? 1 : 0} ${sense > 0 ? 0 : 1} ${tip.join(" ")}${head(tip, along, size)}`;
}

function head([x, y], [ex, ey], size) {
  const [a, b, c, d] = [x - size * (ex - 0.4 * ey), y - size * (ey + 0.4 * ex), x - size * (ex + 0.4 * ey), y - size * (ey - 0.4 * ex)].map(hundredths);
  return `M${a} ${b}L${hundredths(x)} ${hundredths(y)}L${c} ${d}Z`;
}
