// Contacts have no sign of their own: the bodies that touch are seen, and the force is. A plane in ground that no shape shows is
// drawn as a floor, under what may touch it.

function floorOf(e, { drawing, motion, u }) {
  const [i, j] = e.ends;
  if (e.kind !== "Contact" || e.on !== "plane" || !j || j.body !== "ground" || j.angle === undefined || i.surface || drawing.bodies[0].shapes.length) return null;
  const c = Math.cos(j.angle), s = Math.sin(j.angle), along = someFrames(motion, 40).map((at) => motion.point(i.body, i.at, at)).map(([x, y]) => c * (x - j.at[0]) + s * (y - j.at[1]));
  return { end: j, span: [Math.min(...along) - 6 * u, Math.max(...along) + 6 * u] };
}

function floor2d({ end, span: [from, to] }, u) {
  return turnedGroup(end, make("path", { d: `M${from} 0H${to}`, class: "rail", "stroke-width": 0.3 * u }), hatched(from, to, 0, u));
}
