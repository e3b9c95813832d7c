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

// Solid: a light filling with a firm outline, both of the body's colour.
function solid(path, width, colour) {
  return [
    make("path", { d: path, class: "solid", fill: colour, stroke: colour, "stroke-width": width }),
    make("path", {
      d: path, class: "solid inner", stroke: `color-mix(in srgb, ${colour} 45%, var(--stage))`,
      fill: `color-mix(in srgb, ${colour} 45%, var(--stage))`, "stroke-width": width * 0.72,
    }),
  ];
}

function rectangle(at, angle, a, b) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return [[-a, -b], [a, -b], [a, b], [-a, b]].map(([x, y]) => [at[0] + (c * x - s * y) / 2, at[1] + (s * x + c * y) / 2]);
}

function circlePath([x, y], r) {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

function shapePath(shape) {
  if (shape.kind === "circle") return circlePath(shape.at, shape.size[0]);
  if (shape.kind === "box") return pathOf(rectangle(shape.at, shape.angle, ...shape.size), true);
  const c = Math.cos(shape.angle), s = Math.sin(shape.angle);
  return pathOf(shape.size.map(([x, y]) => [shape.at[0] + c * x - s * y, shape.at[1] + s * x + c * y]), true);
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

function bodyParts(body, drawing, u, colour) {
  if (body.shapes.length) return body.shapes.flatMap((s) => solid(shapePath(s), 0.25 * u, colour));
  const parts = [], slide = slideOf(body, drawing);
  const curves = drawing.curves.filter((c) => c.body === body.name);
  for (const c of curves) {
    parts.push(...(c.closed ? solid(pathOf(c.points, true), 0.3 * u, colour)
      : [make("path", { d: pathOf(c.points), class: "solid", fill: "none", stroke: colour, "stroke-width": 0.6 * u })]));
  }
  const hull = convexHull(body.points);
  if (hull.length > 1) parts.push(...solid(pathOf(hull, hull.length > 2), 2.3 * u, colour));
  else if (!slide && !curves.length) parts.push(...solid(circlePath(hull[0] ?? body.com, 1.5 * u), 0.3 * u, colour));
  if (slide) parts.push(...solid(pathOf(rectangle(slide.at, slide.angle ?? 0, 6.4 * u, 3.6 * u), true), 0.5 * u, colour));
  return parts;
}
