// Signs for joints, pulleys and supports in the plane, in the axes of the body they are on. u: the size of a pin.

const HATCH = 5;

function hatched(x0, x1, y, u) {
  const lines = [], n = Math.max(HATCH, Math.min(600, Math.round((x1 - x0) / (0.9 * u))));
  for (let k = 0; k <= n; k++) {
    const x = x0 + (k / n) * (x1 - x0);
    lines.push(`M${x} ${y}l${-0.7 * u} ${-0.8 * u}`);
  }
  return make("path", { d: lines.join(""), class: "hatch", "stroke-width": 0.14 * u });
}

function turnedGroup(end, ...children) {
  const degrees = ((end.angle ?? 0) * 180) / Math.PI;
  return make("g", { transform: `translate(${end.at[0]} ${end.at[1]}) rotate(${degrees})` }, ...children);
}

// A bearing: a ring about a pin.
const pin = (u, r = 0.95) => make("g", {}, make("circle", { r: r * u, class: "pin", "stroke-width": 0.24 * u }), make("path", { d: circlePath([0, 0], 0.34 * r * u), class: "axle" }));

// A pivot in ground: a small stand with hatching under it.
function support(end, u) {
  return make("g", { transform: `translate(${end.at[0]} ${end.at[1]})` },
    make("path", { d: `M${-0.85 * u} ${-0.3 * u}L${-1.8 * u} ${-2.7 * u}H${1.8 * u}L${0.85 * u} ${-0.3 * u}A${0.9 * u} ${0.9 * u} 0 0 1 ${-0.85 * u} ${-0.3 * u}Z`, class: "base", "stroke-width": 0.2 * u }),
    make("path", { d: `M${-2.4 * u} ${-2.7 * u}H${2.4 * u}`, class: "firm", "stroke-width": 0.28 * u }),
    hatched(-2.1 * u, 2.4 * u, -2.7 * u, u));
}

// The ways of a slide: a slot in a moving body, rails beside the block in ground.
function slot(end, { from, to }, u) {
  return turnedGroup(end, make("path", { d: `M${from - u} 0H${to + u}`, class: "slot", "stroke-width": 0.9 * u }));
}
// Guides of one line that overlap are one: `reach` is how far one goes beyond its slide.
function joined(rails, reach) {
  const out = [], way = ({ angle = 0 }) => [Math.cos(angle), Math.sin(angle)];
  for (const { rail, from, to, half } of rails) {
    const ends = [from - reach, to + reach], along = way(rail), places = ends.map((s) => rail.at.map((x, k) => x + s * along[k]));
    const seen = (o) => places.map((p) => { const [c, s] = way(o.rail), [x, y] = p.map((v, k) => v - o.rail.at[k]); return [c * x + s * y, c * y - s * x]; });
    const own = out.find((o) => {
      const [[a, h], [b, i]] = seen(o);
      return Math.max(Math.abs(h), Math.abs(i)) < 1e-3 * reach && Math.min(a, b) < o.to && Math.max(a, b) > o.from;
    });
    const [a, b] = own ? seen(own).map(([s]) => s) : ends;
    if (own) Object.assign(own, { from: Math.min(own.from, a, b), to: Math.max(own.to, a, b), half: Math.max(own.half, half) });
    else out.push({ rail, from: a, to: b, half });
  }
  return out;
}
function guide({ rail: end, from, to, half }, u) {
  const rail = (y) => make("path", { d: `M${from} ${y}H${to}`, class: "rail", "stroke-width": 0.3 * u });
  return turnedGroup(end, rail(-half), rail(half), hatched(from, to, -half, u));
}

function pulley(end, radius, u, colour) {
  const r = Math.abs(radius);
  return make("g", { transform: `translate(${end.at[0]} ${end.at[1]})` },
    ...solid([{ d: circlePath([0, 0], r) }], u, colour),
    make("circle", { r: 0.82 * r, class: "rim", fill: "none", stroke: colour, "stroke-width": 0.14 * u }),
    make("path", { d: `M${0.45 * r} 0H${0.72 * r}`, class: "rim", stroke: colour, "stroke-width": 0.4 * u }));
}

// A turning arrow about a driven pin.
function driveArrow(u) {
  const r = 2.5 * u, from = 0.5, to = 4.6, p = (a) => [r * Math.cos(a), r * Math.sin(a)];
  const [sx, sy] = p(from), [ex, ey] = p(to), head = 0.9 * u, a = to + Math.PI / 2;
  const wing = (d) => `L${ex - head * Math.cos(a + d)} ${ey - head * Math.sin(a + d)}`;
  return make("path", {
    d: `M${sx} ${sy}A${r} ${r} 0 1 1 ${ex} ${ey}${wing(0.6)}M${ex} ${ey}${wing(-0.6)}`,
    class: "firm drive", "stroke-width": 0.26 * u,
  });
}

// What stands on the second end's body for each kind of joint; what is not named gets a small diamond.
const SIGNS = {
  Revolute: (u) => [pin(u)],
  RevoluteRevolute: (u) => [pin(u)],
  Distance: (u) => [pin(u, 0.6)],
  Spring: (u) => [pin(u, 0.45)],
  PointOnLine: (u) => [pin(u, 0.7)],
  PointFollower: (u) => [pin(u, 0.7)],
  Fixed: (u) => [make("rect", { x: -0.8 * u, y: -0.8 * u, width: 1.6 * u, height: 1.6 * u, class: "pin", "stroke-width": 0.32 * u })],
  Translational: (u) => [make("path", { d: `M${-2 * u} 0H${2 * u}M${-1.3 * u} ${0.5 * u}L${-2 * u} 0L${-1.3 * u} ${-0.5 * u}M${1.3 * u} ${0.5 * u}L${2 * u} 0L${1.3 * u} ${-0.5 * u}`, class: "firm", "stroke-width": 0.22 * u })],
  Gear: () => [], RackPinion: () => [], CamFlat: () => [], CamFollower: () => [],
};

function sign(kind, u) {
  const parts = (SIGNS[kind] ?? ((v) => [make("path", { d: `M0 ${-0.8 * v}L${0.8 * v} 0L0 ${0.8 * v}L${-0.8 * v} 0Z`, class: "pin", "stroke-width": 0.28 * v })]))(u);
  return parts;
}
