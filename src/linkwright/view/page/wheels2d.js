// Wheels with teeth, racks and followers in the plane.

// A wheel: teeth, a hub, holes between; a ring has its teeth inside.
function wheelOutline(w, u) {
  const [x, y] = w.end.at, r = Math.abs(w.radius), m = w.module, c = Math.cos(w.stand), s = Math.sin(w.stand), round = (radius, at = [x, y]) => circlePath(at, radius);
  if (!w.radius) return rackOutline(w, u);
  const teeth = pathOf(toothed(w.teeth, r, m, w.radius < 0).map(([a, b]) => [x + c * a - s * b, y + s * a + c * b]), true);
  if (w.radius < 0) return { d: teeth + round(r + 1.25 * m + Math.max(1.5 * m, 1.2 * u)) };
  const inside = r - 1.25 * m - Math.max(0.7 * m, 0.5 * u), hub = Math.max(2 * u, 0.24 * r), room = inside - hub, holes = 5;
  if (room < 1.6 * u) return { d: teeth, round: round(r) };
  const middle = (inside + hub) / 2, size = Math.min(0.4 * room, 0.7 * middle * Math.sin(Math.PI / holes));
  const cut = Array.from({ length: holes }, (_, k) => round(size, [x + middle * Math.cos((k * TURN) / holes), y + middle * Math.sin((k * TURN) / holes)]));
  return { d: teeth + cut.join(""), round: round(r) + cut.join("") };
}

// Along the line of its end, teeth towards its wheel, as far as that comes.
function rackOutline(w, u) {
  const { at, angle = 0 } = w.end, c = Math.cos(angle), s = Math.sin(angle), m = w.module, side = w.side ?? 1, back = 1.25 * m + Math.max(1.6 * m, 1.2 * u);
  const teeth = rackTeeth(w.from, w.to, m).map(([a, b]) => [a + w.stand, b]), ends = [teeth[teeth.length - 1][0], teeth[0][0]];
  const points = [...teeth, ...ends.map((a) => [a, -back])];
  return { d: pathOf(points.map(([a, b]) => [at[0] + c * a - s * side * b, at[1] + s * a + c * side * b]), true) };
}

// How far the wheel of a rack comes along it, and on which side it is.
function runs(rack, trains, motion) {
  const { end } = rack, mesh = trains.meshes.find((k) => k.i === rack || k.j === rack), wheel = mesh.i === rack ? mesh.j : mesh.i;
  const places = someFrames(motion, 40).map((at) => inBody(motion, end, motion.point(wheel.body, wheel.end.at, at), at));
  const xs = places.map((p) => p[0]), more = 2 * Math.PI * rack.module;
  Object.assign(rack, { from: Math.min(...xs) - more, to: Math.max(...xs) + more, side: places[0][1] < 0 ? -1 : 1 });
}

// A place of the world in the frame of an end.
function inBody(motion, end, p, at) {
  const [x, y] = motion.within(end.body, p, at).map((v, i) => v - end.at[i]), a = end.angle ?? 0;
  return [Math.cos(a) * x + Math.sin(a) * y, -Math.sin(a) * x + Math.cos(a) * y];
}

// The face that a cam lifts: as long as the cam touches it, and behind it the side it is solid on.
function faceOutline(face, curve, motion, u) {
  let [from, to, below] = [Infinity, -Infinity, 0];
  for (const at of someFrames(motion, 40)) {
    const points = curve.points.map((p) => inBody(motion, face, motion.point(curve.body, p, at), at));
    below += points.reduce((a, p) => a + p[1], 0);
    const nearest = points.reduce((a, p) => (Math.abs(p[1]) < Math.abs(a[1]) ? p : a));
    from = Math.min(from, nearest[0]);
    to = Math.max(to, nearest[0]);
  }
  const side = below < 0 ? 1 : -1, w = 1.1 * u, c = Math.cos(face.angle), s = Math.sin(face.angle);
  const corners = [[from - 1.6 * u, 0], [to + 1.6 * u, 0], [to + 1.6 * u, side * w], [from - 1.6 * u, side * w]];
  return { d: rounded(corners.map(([x, y]) => [face.at[0] + c * x - s * y, face.at[1] + s * x + c * y]), 0.35 * u) };
}
