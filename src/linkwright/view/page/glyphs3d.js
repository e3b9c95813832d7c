// Signs for joints in space, in the axes of the body they are on. The axis of a joint is the z axis of its frame.

const INK = "var(--ink)", STEEL = "var(--steel)";

const SIGNS3D = {
  Revolute: (p, e, u) => [p.drum(e.at, e.axes[2], 1.25 * u, 4 * u, STEEL)],
  Cylindrical: (p, e, u) => [p.drum(e.at, e.axes[2], 1.25 * u, 6 * u, STEEL)],
  RevoluteCylindrical: (p, e, u) => [p.drum(e.at, e.axes[2], 1.25 * u, 6 * u, STEEL)],
  Screw: (p, e, u) => [p.drum(e.at, e.axes[2], 1.1 * u, 6 * u, STEEL), helix(p, e, u)],
  Translational: (p, e, u) => [p.drum(e.at, e.axes[2], 0.5 * u, 9 * u, STEEL)],
  Spherical: (p, e, u) => [p.ball(e.at, 1.5 * u, STEEL)],
  RevoluteSpherical: (p, e, u) => [p.ball(e.at, 1.4 * u, STEEL)],
  Universal: (p, e, u) => [p.drum(e.at, e.axes[2], 0.6 * u, 4.4 * u, STEEL), p.ball(e.at, 1.1 * u, STEEL)],
  ConstantVelocity: (p, e, u) => [p.ball(e.at, 1.4 * u, STEEL), p.drum(e.at, e.axes[2], 0.7 * u, 3.4 * u, STEEL)],
  Planar: (p, e, u) => [p.box(e.at, e.axes, [8 * u, 8 * u, 0.3 * u], STEEL)],
  Fixed: (p, e, u) => [p.box(e.at, e.axes, [2.2 * u, 2.2 * u, 2.2 * u], STEEL)],
  Distance: (p, e, u) => [p.ball(e.at, 0.8 * u, STEEL)],
  Spring: (p, e, u) => [p.ball(e.at, 0.7 * u, STEEL)],
  Gear: () => [],
};

function sign3d(parts, kind, end, u) {
  const axes = end.axes ?? [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  return (SIGNS3D[kind] ?? ((p, e, v) => [p.ball(e.at, v, STEEL)]))(parts, { ...end, axes }, u);
}

function helix(parts, e, u) {
  const [x, y, z] = e.axes, points = [];
  for (let k = 0; k <= 160; k++) {
    const a = (k / 160) * 12 * Math.PI, h = (k / 160 - 0.5) * 6 * u, r = 1.25 * u;
    points.push(e.at.map((p, i) => p + r * Math.cos(a) * x[i] + r * Math.sin(a) * y[i] + h * z[i]));
  }
  return parts.polyline(points, INK);
}

// A pitch circle with a mark, about the z axis of the gear's frame.
function gear3d(parts, end, radius, u, colour) {
  const [x, y] = end.axes, r = Math.abs(radius), points = [];
  for (let k = 0; k < 96; k++) {
    const a = (k / 96) * 2 * Math.PI;
    points.push(end.at.map((p, i) => p + r * (Math.cos(a) * x[i] + Math.sin(a) * y[i])));
  }
  const rim = new THREE.CatmullRomCurve3(points.map((p) => new THREE.Vector3(...p)), true);
  const mark = (f) => end.at.map((p, i) => p + f * r * x[i]);
  return [parts.mesh(new THREE.TubeGeometry(rim, 128, 0.45 * u, 16, true), colour), parts.rod(mark(0.5), mark(1), 0.35 * u, INK)];
}

// Coils: a wire along a helix, made with the length it has at first, then of length one and stretched.
function coil(parts, length, u, colour) {
  const points = [], turns = 8, n = turns * 12, l = Math.max(length, u);
  for (let k = 0; k <= n; k++) {
    const s = k / n, a = s * turns * 2 * Math.PI, r = 1.9 * u * Math.min(1, 12 * s, 12 * (1 - s));
    points.push(new THREE.Vector3(r * Math.cos(a), (s - 0.5) * l, r * Math.sin(a)));
  }
  const wire = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 2 * n, 0.22 * u, 6);
  return parts.mesh(wire.scale(1, 1 / l, 1), colour);
}
