// Ropes and belts: their straight parts between pulleys, in the plane and in space.

// The straight parts along the centres of pulleys: radii are positive where the rope runs round counter-clockwise about h.
function straightParts(centres, radii, h = [0, 0, 1]) {
  const parts = [], cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  for (let k = 0; k + 1 < centres.length; k++) {
    const a = centres[k], b = centres[k + 1], E = [0, 1, 2].map((i) => (b[i] ?? 0) - (a[i] ?? 0));
    const aside = E.reduce((s, x, i) => s + x * h[i], 0), flat = E.map((x, i) => x - aside * h[i]), ahead = cross(h, flat);
    const square = flat.reduce((s, x) => s + x * x, 0) || 1e-300, rho = radii[k + 1] - radii[k];
    const t = Math.sqrt(Math.max(square - rho * rho, 0));
    const u = flat.map((x, i) => (t * x - rho * ahead[i]) / square), n = cross(h, u);
    parts.push([a, b].map((c, end) => c.map((x, i) => x - radii[k + end] * n[i])));
  }
  return parts;
}

// The way of a rope in the plane, with the arcs on its pulleys; a belt comes back to where it began.
function ropePath(centres, radii, closed) {
  const around = closed ? [...centres, centres[0]] : centres, r = closed ? [...radii, radii[0]] : radii;
  const parts = straightParts(around, r), n = parts.length, pieces = [`M${parts[0][0].join(" ")}`];
  parts.forEach(([, b], k) => {
    pieces.push(`L${b.join(" ")}`);
    const next = k + 1 < n ? parts[k + 1][0] : closed ? parts[0][0] : null;
    if (!next || !r[k + 1]) return;
    const c = around[k + 1], angle = (p) => Math.atan2(p[1] - c[1], p[0] - c[0]), way = Math.sign(r[k + 1]) * (angle(next) - angle(b));
    const wrap = ((way % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    if (wrap < 1.75 * Math.PI) pieces.push(`A${Math.abs(r[k + 1])} ${Math.abs(r[k + 1])} 0 ${wrap > Math.PI ? 1 : 0} ${r[k + 1] > 0 ? 1 : 0} ${next.join(" ")}`);
    else pieces.push(`L${next.join(" ")}`);
  });
  return pieces.join("");
}
