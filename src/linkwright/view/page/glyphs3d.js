// Signs for joints in space, in the axes of the body they are on. The axis of a joint is the z axis of its frame.

const INK = "var(--ink)", STEEL = "var(--steel)", DARK = "var(--dark-steel)", RUBBER = "var(--rubber)";

// What is on the second body: pins, balls, blocks.
const SIGNS3D = {
  Revolute: (p, e, u) => pin3d(p, e, u, 4.4),
  Cylindrical: (p, e, u) => [p.ring(e.at, e.axes[2], 0.62 * u, 1.5 * u, 4 * u, DARK)],
  RevoluteCylindrical: (p, e, u) => [p.ring(e.at, e.axes[2], 0.62 * u, 1.5 * u, 4 * u, DARK)],
  Screw: (p, e, u) => [nut(p, e, u)],
  Translational: (p, e, u) => [-1, 1].flatMap((side) => p.ring(e.at.map((x, i) => x + side * 3.1 * u * e.axes[2][i]), e.axes[2], 0.55 * u, 1.2 * u, 0.7 * u, DARK)),
  Spherical: (p, e, u) => [p.ball(e.at, 1.45 * u, STEEL)],
  RevoluteSpherical: (p, e, u) => [p.ball(e.at, 1.4 * u, STEEL)],
  Universal: (p, e, u) => yoke(p, e, u),
  ConstantVelocity: (p, e, u) => [p.ball(e.at, 1.7 * u, DARK), ...yoke(p, e, u).slice(3)],
  Planar: (p, e, u) => [p.box(e.at, e.axes, [8 * u, 8 * u, 0.4 * u], STEEL)],
  Fixed: (p, e, u) => [p.box(e.at, e.axes, [2.2 * u, 2.2 * u, 2.2 * u], STEEL)],
  Distance: (p, e, u) => [p.ball(e.at, 0.8 * u, STEEL)],
  Spring: (p, e, u) => [p.ball(e.at, 0.7 * u, STEEL)],
  Gear: () => [], Rolling: () => [], Tyre: () => [],
};
// What is on the first body: the ring that a pin turns in, the socket of a ball, the shaft of a screw.
const SEATS3D = {
  Revolute: (p, e, u, colour) => [p.ring(e.at, e.axes[2], 0.82 * u, 1.6 * u, 2.2 * u, colour)],
  Spherical: (p, e, u, colour) => [socket(p, e, u, colour)],
  Universal: (p, e, u) => yoke(p, e, u),
};

function framed(end) { return { ...end, axes: end.axes ?? [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }; }

function sign3d(parts, kind, end, u) { return (SIGNS3D[kind] ?? ((p, e, v) => [p.ball(e.at, v, STEEL)]))(parts, framed(end), u); }
function seat3d(parts, kind, end, u, colour) { return SEATS3D[kind]?.(parts, framed(end), u, colour) ?? []; }

function nut(p, e, u) {
  const m = along(p.mesh(p.form("nut", 2.1 * u, () => new THREE.CylinderGeometry(2.1 * u, 2.1 * u, 2.6 * u, 6)), STEEL, { flatShading: true }), e.axes[2]);
  m.position.set(...e.at);
  return m;
}

// A pin with a head at either end.
function pin3d(p, e, u, length) {
  const head = (side) => e.at.map((x, i) => x + side * (length / 2 - 0.25) * u * e.axes[2][i]);
  return [p.drum(e.at, e.axes[2], 0.8 * u, length * u, STEEL), ...[-1, 1].map((side) => p.drum(head(side), e.axes[2], 1.15 * u, 0.55 * u, STEEL))];
}

// Half a shell about a ball, open towards where the other body goes away.
function socket(p, e, u, colour) {
  const m = p.mesh(p.form("socket", 1.75 * u, (n) => new THREE.SphereGeometry(1.75 * u, n, n / 2, 0, TURN, 0, 0.56 * Math.PI)), colour, { side: 2 });
  along(m, away(e));
  m.position.set(...e.at);
  return m;
}
// From a joint into its body, in the axes of the body.
function away(e) {
  const to = e.inside ?? [0, 0, 0], d = to.map((x, i) => x - e.at[i]);
  return Math.hypot(...d) > 1e-9 ? d : e.axes[0];
}

// Half of a cross with the fork that holds it: the arm along z, the fork towards the body.
function yoke(p, e, u) {
  const z = new THREE.Vector3(...e.axes[2]), d = new THREE.Vector3(...away(e)), way = d.addScaledVector(z, -d.dot(z));
  if (way.length() < 1e-9) way.set(...e.axes[0]);
  way.normalize();
  const at = new THREE.Vector3(...e.at), side = z.clone().cross(way), put = (a, b) => at.clone().addScaledVector(z, a * u).addScaledVector(way, b * u).toArray(), axes = [way, side, z].map((v) => v.toArray());
  const prong = (s) => p.box(put(s * 1.75, 1.1), axes, [3.6 * u, 1.5 * u, 0.75 * u], STEEL);
  return [p.drum(e.at, e.axes[2], 0.62 * u, 4.5 * u, DARK), p.ball(e.at, 0.95 * u, DARK), p.ball(e.at, 0.9 * u, DARK), prong(-1), prong(1), p.box(put(0, 2.9), axes, [0.9 * u, 1.9 * u, 4.25 * u], STEEL), p.drum(put(0, 3.8), way.toArray(), 1.05 * u, 1.4 * u, STEEL)];
}

// The shaft of a screw, with its thread, as far as the nut goes.
function screw3d(p, e, span, pitch, u) {
  const from = span.from - 3.5 * u, to = span.to + 3.5 * u, length = to - from, at = e.at.map((x, i) => x + ((from + to) / 2) * e.axes[2][i]), lead = TURN * Math.abs(pitch);
  const step = Math.min(Math.max(lead, 0.75 * u), 4 * u), core = p.drum(at, e.axes[2], 0.95 * u, length, STEEL), ridge = along(p.mesh(threadForm(1.02 * u, length - 0.6 * u, step, 0.24 * u), STEEL), e.axes[2]);
  ridge.position.set(...at);
  return [core, ridge];
}

// A wheel with teeth, or a pulley, about the z axis of its frame.
function gear3d(parts, w, u, colour, given) {
  const width = given ?? Math.max(2 * u, 0.22 * Math.abs(w.radius)), bevel = Math.min(0.12 * w.module, 0.2 * u), m = parts.mesh(gearForm(w, width, w.taper ?? 0, bevel), colour);
  const frame = framed(w.end).axes, [x, y, z] = frame.map((v) => new THREE.Vector3(...v)), flip = w.taper && w.apex < 0;
  m.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, y, z));
  if (flip) m.scale.z = -1;
  m.position.set(...w.end.at).addScaledVector(z, w.taper ? 0 : -width / 2);
  return m;
}
function pulley3d(parts, end, radius, u, colour) {
  const r = Math.abs(radius), w = 0.8 * u, form = parts.form("pulley", r, (n) => turned([[0, -w], [r + 0.4 * u, -w], [r + 0.4 * u, -0.6 * w], [r - 0.1 * u, -0.15 * w], [r - 0.1 * u, 0.15 * w], [r + 0.4 * u, 0.6 * w], [r + 0.4 * u, w], [0, w]], n));
  const m = along(parts.mesh(form, colour), framed(end).axes[2]), mark = (f, side) => end.at.map((p, i) => p + f * r * end.axes[0][i] + side * w * end.axes[2][i]);
  m.position.set(...end.at);
  return [m, ...[-1, 1].map((side) => parts.rod(mark(0.45, side), mark(0.85, side), 0.3 * u, INK))];
}
