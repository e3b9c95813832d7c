// How bodies look in the plane: their shapes if they have some, else links through their points. u: the size of a pin.

function convexHull(points) {
  const p = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const out = [];
    for (const q of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], q) <= 0) out.pop();
      out.push(q);
    }
    return out.slice(0, -1);
  };
  return p.length < 3 ? p : [...half(p), ...half(p.reverse())];
}

const EDGE = 0.2;  // of a pin: how wide the outline of a body is

// Solid: a light filling with a firm outline, both of the body's colour. Parts are paths that may be as wide as a link; they are
// one body: no outline between them. The width 0 is that of a given shape, whose outline lies around it.
function solid(parts, u, colour) {
  const light = `color-mix(in srgb, ${colour} 42%, var(--stage))`, rule = { "fill-rule": "evenodd" };
  const edge = ({ d, width = 0, line }) => make("path", { d, class: "solid", ...rule, fill: line ? "none" : colour, stroke: colour, "stroke-width": width || 2 * EDGE * u });
  const inner = ({ d, width = 0, line }) => make("path", { d, class: "solid inner", ...rule, fill: line ? "none" : light, stroke: width ? light : "none", "stroke-width": Math.max(0, width - 2 * EDGE * u) });
  for (const part of parts) part.nodes = [edge(part), inner(part)];
  return [0, 1].flatMap((k) => parts.map((part) => part.nodes[k]));
}

// What a body throws on those below it: its outline, of a wheel without teeth.
function shade(parts) {
  const plain = parts.length === 1 && (parts[0].line || !parts[0].width);
  return make("g", { class: plain ? "shadow plain" : "shadow", "aria-hidden": "true" }, ...parts.map(({ d, round, width = 0, line }) => make("path", { d: round ?? d, class: line ? "line" : "", "fill-rule": "evenodd", "stroke-width": width })));
}

function rectangle(at, angle, a, b) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return [[-a, -b], [a, -b], [a, b], [-a, b]].map(([x, y]) => [at[0] + (c * x - s * y) / 2, at[1] + (s * x + c * y) / 2]);
}

function circlePath([x, y], r) {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

function shapePath(shape) {
  return shape.kind === "circle" ? circlePath(shape.at, shape.size[0]) : pathOf(corners(shape), true);
}
function corners(shape) {
  if (shape.kind === "box") return rectangle(shape.at, shape.angle, ...shape.size);
  const c = Math.cos(shape.angle), s = Math.sin(shape.angle);
  return shape.size.map(([x, y]) => [shape.at[0] + c * x - s * y, shape.at[1] + s * x + c * y]);
}

// A given box that is a link goes round the pins at its ends, as links do that are drawn from their points. What touches others
// stays as it is.
const LINK = 2.5;  // so many times as long as wide
function linkPath(shape, body, drawing) {
  if (shape.kind !== "box" || drawing.elements.some((e) => e.kind === "Contact" && e.bodies.includes(body.name))) return shapePath(shape);
  const [a, b] = shape.size, long = Math.max(a, b), w = Math.min(a, b) / 2, angle = shape.angle + (a < b ? Math.PI / 2 : 0), c = Math.cos(angle), s = Math.sin(angle);
  if (long < 2 * LINK * w) return shapePath(shape);
  const own = body.points.map(([x, y]) => [x - shape.at[0], y - shape.at[1]]).map(([x, y]) => [c * x + s * y, c * y - s * x]);
  const tips = [-1, 1].map((side) => own.filter(([x, y]) => Math.abs(y) < 0.5 * w && Math.abs(side * x - long / 2) <= 1.01 * w).map(([x]) => x)[0]);
  const place = (x, y) => [shape.at[0] + c * x - s * y, shape.at[1] + s * x + c * y].join(" "), [low, high] = tips.map((x, k) => x ?? (k - 0.5) * long);
  const end = (known, x, y) => (known === undefined ? `L${place(x, y)}` : `A${w} ${w} 0 0 1 ${place(x, y)}`);
  return `M${place(low, -w)}L${place(high, -w)}${end(tips[1], high, w)}L${place(low, w)}${end(tips[0], low, -w)}Z`;
}

// How far a block reaches to the sides of the way it slides on, where it does: rails lie along a given shape, not under it. One
// that is far wider than its guide is no block in it.
function breadth({ at, angle = 0 }, shapes, u) {
  const c = Math.cos(angle), s = Math.sin(angle), sides = [2.2 * u];
  for (const shape of shapes) {
    const own = ([x, y]) => [c * (x - at[0]) + s * (y - at[1]), c * (y - at[1]) - s * (x - at[0])];
    if (shape.kind === "circle") {
      const [x, y] = own(shape.at), r = shape.size[0];
      if (Math.abs(x) < r) sides.push(Math.abs(y) + Math.sqrt(r * r - x * x));
    } else corners(shape).map(own).forEach(([x, y], k, all) => {
      const [p, q] = all[(k + 1) % all.length];
      if (x * p <= 0 && x !== p) sides.push(Math.abs(y + ((q - y) * x) / (x - p)));
    });
  }
  const most = Math.max(...sides);
  return most > 8 * u ? 2.2 * u : most;
}

// The joint by which a body slides as a block, if any: it is the second of the two, or ground is the first's partner.
function slideOf(body, drawing) {
  for (const e of drawing.elements) {
    if (e.kind !== "Translational") continue;
    const [i, j] = e.ends;
    const block = j.body === "ground" ? i : j;
    if (block.body === body.name) return block;
  }
  return null;
}

// What a link is drawn through: points that are followed, too, but for those that were picked on it.
function placesOf(body) { return [...body.points, ...page.traces.filter((p) => p.body === body.name && !p.picked).map((p) => p.at)]; }

// The parts of a body: its shapes and wheels, else links through its points.
function bodyOutlines(body, drawing, u, wheels = []) {
  const curves = drawing.curves.filter((c) => c.body === body.name), rims = wheels.map((w) => wheelOutline(w, u));
  if (body.shapes.length) return [...body.shapes.filter((s) => !wheels.some((w) => isWheel(s, w))).map((s) => ({ d: linkPath(s, body, drawing) })), ...rims];
  const slide = slideOf(body, drawing), hull = convexHull(placesOf(body));
  const parts = [...rims, ...curves.map((c) => (c.closed ? { d: pathOf(c.points, true) } : { d: pathOf(c.points), width: 0.8 * u, line: true }))];
  if (hull.length > 1) parts.push({ d: pathOf(hull, hull.length > 2), width: 2.3 * u, line: hull.length === 2 });
  else if (!slide && !parts.length) parts.push({ d: circlePath(hull[0] ?? body.com, 1.5 * u) });
  if (slide) parts.push({ d: rounded(rectangle(slide.at, slide.angle ?? 0, 6.6 * u, 3.8 * u), 0.6 * u) });
  return parts;
}
function bodyParts(body, drawing, u, colour) { return solid(bodyOutlines(body, drawing, u), u, colour); }

// A given circle that stands for a wheel with teeth.
function isWheel(shape, { end, radius }) {
  return shape.kind === "circle" && Math.hypot(shape.at[0] - end.at[0], shape.at[1] - end.at[1]) < 1e-6 * Math.abs(radius) && Math.abs(shape.size[0] / radius - 1) < 0.15;
}

// A polygon with round corners.
function rounded(points, r) {
  const n = points.length, toward = (p, q) => { const l = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1; return [0, 1].map((i) => p[i] + ((q[i] - p[i]) * Math.min(r, 0.5 * l)) / l); };
  return `${points.map((p, k) => {
    const a = toward(p, points[(k + n - 1) % n]), b = toward(p, points[(k + 1) % n]);
    return `${k ? "L" : "M"}${a.join(" ")}Q${p.join(" ")} ${b.join(" ")}`;
  }).join("")}Z`;
}
