// Contacts have no sign of their own: the bodies that touch are seen, and the force is. A plane in ground that no shape shows is
// drawn as a floor, under what may touch it.

function floorOf(e, { drawing, motion, u, travel, size }) {
  const [i, j] = e.ends;
  if (e.kind !== "Contact" || e.on !== "plane" || !j || j.body !== "ground" || j.angle === undefined || i.surface || drawing.bodies[0].shapes.length) return null;
  const c = Math.cos(j.angle), s = Math.sin(j.angle), along = someFrames(motion, 40).map((at) => motion.point(i.body, i.at, at)).map(([x, y]) => c * (x - j.at[0]) + s * (y - j.at[1]));
  const first = Math.min(...along), last = Math.max(...along), pitch = 0.9 * u;
  // under a machine that goes farther than its run does: by whole hatches
  const shift = ([x, y]) => { const d = c * x + s * y, over = d - Math.min(last - along[0], Math.max(first - along[0], d)); return [c, s].map((e) => e * pitch * Math.round(over / pitch)); };
  const more = travel.far ? size : 6 * u;
  return { end: j, span: [first - more, last + more], shift };
}

function floor2d({ end, span: [from, to] }, u) {
  return turnedGroup(end, make("path", { d: `M${from} 0H${to}`, class: "rail", "stroke-width": 0.3 * u }), hatched(from, to, 0, u));
}
