// How far what is drawn in the plane goes over the whole motion, signs of joints included.

function extent(stage) {
  const { travel } = stage;
  if (travel.far) return travel.box.map((p, k) => p.map((x) => x + (2 * k - 1) * 2 * stage.u));
  const { drawing, motion, u, page } = stage, points = [], frames = someFrames(motion, few(4 * drawing.bodies.length));
  const sweep = (body, list) => {
    for (const at of body === "ground" ? frames.slice(0, 1) : frames) for (const p of list) points.push(motion.point(body, p, at));
  };
  for (const e of drawing.elements) {
    const span = page.motion.spans[e.name];
    if (span && e.ends[span.line].body === "ground") sweep("ground", around(e.ends[span.line], [span.from - 4.4 * u, span.to + 4.4 * u], stage.beside(e, span) + u));
    const floor = floorOf(e, stage);
    if (floor) sweep("ground", around(floor.end, floor.span, 1.2 * u));
    for (const end of [...e.ends, ...(e.between ?? [])]) if (standsOnGround(e, end)) sweep("ground", [[-3, -3.6], [2.6, 0.8]].map((d) => d.map((x, i) => end.at[i] + x * u)));
  }
  for (const b of drawing.bodies) {
    const slide = b.name !== "ground" && !b.shapes.length && slideOf(b, drawing);
    if (slide) sweep(b.name, around(slide, [-3.5 * u, 3.5 * u], 2.1 * u));
  }
  for (const { body, at } of page.traces) sweep(body, [at]);
  for (const w of stage.trains.wheels.values()) {  // tips of teeth, the rim of a ring
    const r = Math.abs(w.radius) + (w.radius < 0 ? 1.25 * w.module + Math.max(1.5 * w.module, 1.2 * u) : w.module);
    if (w.radius) sweep(w.body, [[-r, -r], [r, -r], [-r, r], [r, r]].map((d) => d.map((x, i) => w.end.at[i] + Math.SQRT1_2 * x)).concat([[-r, 0], [r, 0], [0, -r], [0, r]].map((d) => d.map((x, i) => w.end.at[i] + x))));
    else sweep(w.body, around(w.end, [w.from, w.to], 4 * w.module));
  }
  // links are as wide as their pins; shapes have their own size
  const pad = drawing.bodies.some((b) => !b.shapes.length) ? 1.3 * u : 0.3 * u, [low, high] = page.motion.box;
  return hold([low.map((x) => x - pad), high.map((x) => x + pad)], points);
}

// The corners of a strip along an end's direction.
function around(end, [from, to], half) {
  const c = Math.cos(end.angle ?? 0), s = Math.sin(end.angle ?? 0);
  return [[from, -half], [from, half], [to, -half], [to, half]].map(([x, y]) => [end.at[0] + c * x - s * y, end.at[1] + s * x + c * y]);
}

function standsOnGround(e, end) {
  return end.body === "ground" && (Boolean(e.between) || ["Revolute", "Spring", "Distance", "Fixed", "RevoluteRevolute"].includes(e.kind));
}

// How much of the picture a body covers: large ones are drawn first, so that they hide no small one.
function spreadOf(body, u) {
  const all = body.shapes.flatMap((s) => (s.kind === "circle" ? rectangle(s.at, 0, 2 * s.size[0], 2 * s.size[0])
    : s.kind === "box" ? rectangle(s.at, s.angle, ...s.size) : s.size)).concat(body.shapes.length ? [] : body.points);
  if (all.length < 2) return 0;
  const hull = convexHull(all), sides = hull.map((p, k) => [p, hull[(k + 1) % hull.length]]);
  const area = Math.abs(sides.reduce((a, [p, q]) => a + p[0] * q[1] - p[1] * q[0], 0)) / 2;
  return area + (body.shapes.length ? 0 : 1.15 * u * sides.reduce((a, [p, q]) => a + Math.hypot(p[0] - q[0], p[1] - q[1]), 0));  // links are as wide
}

// The sides of a body that is drawn from its points.
function outline(body) {
  const hull = convexHull(placesOf(body));
  return hull.slice(0, hull.length > 2 ? hull.length : 1).map((p, k) => [body.name, p, hull[(k + 1) % hull.length]]);
}
