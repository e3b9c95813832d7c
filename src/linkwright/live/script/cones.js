// Impulses of contacts with dry friction, all at once; as `linkwright.solve.impulses` has them. A cone: { gap, slip: rows, mu }.

const SWEEPS = 100, PARTS = [1, 0.4, 0.1], TRIED = 10, CONE_NEWTON = 12, CONE_ROUNDING = 1e-13, EXACT = 1e-12, ROUGH = 1e-7, FACES = 12, CONE_RANK = 1e-11, JAMMED = 1e6;
const rowsOf = (c) => [c.gap, ...c.slip];

// p by row, zero in rows of no contact; null where none is found.
function impulses(W, r, cones) {
  const size = W.map((row, k) => Math.sqrt(Math.max(row[k], 0))), unit = new Float64Array(r.length).fill(1);
  for (const c of cones) {
    unit[c.gap] = size[c.gap] || 1;
    const most = Math.max(0, ...c.slip.map((k) => size[k])) || 1;
    for (const k of c.slip) unit[k] = most;
  }
  const most = largest(r.map((x, k) => x / unit[k]));
  if (!cones.length || most === 0) return new Float64Array(r.length);
  const own = cones.map((c) => ({ ...c, mu: (c.mu * (c.slip.length ? unit[c.slip[0]] : 1)) / unit[c.gap] }));
  const p = conesSolved(W.map((row, i) => row.map((x, j) => x / (unit[i] * unit[j]))), r.map((x, k) => x / unit[k] / most), own);
  return p && p.map((x, k) => (x * most) / unit[k]);
}
function conesSolved(W, r, cones) {
  let best = new Float64Array(r.length), left = conesLeft(W, r, best, cones);
  const look = (x) => { const off = largest(x) <= JAMMED ? conesLeft(W, r, x, cones) : Infinity; if (off < left) { best = x; left = off; } };
  for (const part of PARTS) {
    const p = new Float64Array(r.length);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      for (const c of cones) {
        const rows = rowsOf(c), own = sub(W, rows), now = rows.map((k) => r[k] + dot(W[k], p)), held = rows.map((k) => p[k]), back = times(own, held);
        const alone = oneCone(own, Float64Array.from(now, (x, i) => x - back[i]), c.mu);
        rows.forEach((k, i) => { p[k] += part * (alone[i] - held[i]); });
      }
      if (sweep !== 0 && sweep !== 3 && sweep % TRIED !== TRIED - 1) continue;
      look(coneNewton(W, r, p, cones));
      look(p.slice());
      if (left <= EXACT) return best;
    }
  }
  const pivots = byPivots(W, r, cones);
  if (pivots) { look(pivots); look(coneNewton(W, r, pivots, cones)); }
  return left <= ROUGH ? best : pivots && largest(pivots) <= JAMMED ? pivots : null;
}
// The largest violation of the law.
function conesLeft(W, r, p, cones) {
  let worst = 0;
  const after = plus(times(W, p), r);
  for (const { gap, slip, mu } of cones) {
    worst = Math.max(worst, Math.abs(Math.min(p[gap], after[gap])));
    if (!slip.length) continue;
    const wanted = slip.map((k) => p[k] - after[k]), length = norm(wanted), radius = mu * Math.max(p[gap], 0), f = length > radius ? radius / length : 1;
    worst = Math.max(worst, norm(slip.map((k, i) => p[k] - wanted[i] * f)));
  }
  return worst;
}
// One contact with the others as they are: open, sticking or sliding.
function oneCone(W, r, mu) {
  const p = new Float64Array(r.length);
  if (r[0] >= 0 || W[0][0] <= 0) return p;
  if (r.length === 1) { p[0] = -r[0] / W[0][0]; return p; }
  const full = leastSquares(W, r.map((x) => -x), r.length, CONE_RANK), sticks = largest(plus(times(W, full), r)) <= 1e-9 * largest(r);
  if (sticks && full[0] >= 0 && norm(full.subarray(1)) <= mu * full[0]) return full;
  let best = p, most = -Infinity;
  for (const s of r.length === 2 ? [[1], [-1]] : slidingWays(W, r, mu)) {
    const across = (k) => s.reduce((a, x, i) => a + W[k][i + 1] * x, 0), yields = W[0][0] - mu * across(0);
    if (yields <= CONE_RANK * W[0][0]) continue;
    const n = -r[0] / yields, agrees = s.reduce((a, x, i) => a + x * (r[i + 1] + n * (W[i + 1][0] - mu * across(i + 1))), 0);
    if (agrees > most) { best = Float64Array.from([n, ...s.map((x) => -mu * n * x)]); most = agrees; }
  }
  return best;
}
// Directions in which a contact in space may slide: zeros of a trigonometric polynomial of degree two.
function slidingWays(W, r, mu) {
  const values = range(8).map((k) => {
    const a = (2 * Math.PI * k) / 8, s = [Math.cos(a), Math.sin(a)], along = (i) => W[i][1] * s[0] + W[i][2] * s[1];
    const slip = [1, 2].map((i) => r[i] * (W[0][0] - mu * along(0)) - r[0] * (W[i][0] - mu * along(i)));
    return [s[0] * slip[1] - s[1] * slip[0], Math.max(Math.abs(slip[0]), Math.abs(slip[1]))];
  });
  const c = [2, 1, 0, -1, -2].map((n) => values.reduce(([x, y], [g], k) => { const a = (2 * Math.PI * k * n) / 8; return [x + (g * Math.cos(a)) / 8, y - (g * Math.sin(a)) / 8]; }, [0, 0]));
  if (!(Math.max(...c.map(([x, y]) => Math.hypot(x, y))) > 1e-15 * Math.max(...values.map(([, x]) => x)))) return [];
  return roots(c).filter(([x, y]) => Math.abs(Math.hypot(x, y) - 1) < 1e-4).map(([x, y]) => { const l = Math.hypot(x, y); return [x / l, y / l]; });
}
// From p on, with contacts open, sticking and sliding as they are there.
function coneNewton(W, r, from, cones) {
  const p = from.slice(), first = plus(times(W, p), r), closed = cones.filter((c) => p[c.gap] > 0), rows = closed.flatMap(rowsOf), place = new Map(rows.map((k, i) => [k, i]));
  const slides = new Map(cones.map((c) => [c, c.slip.length > 0 && norm(c.slip.map((k) => p[k] - first[k])) > c.mu * p[c.gap] * (1 + 1e-9)]));
  for (const c of cones) for (const k of rowsOf(c)) if (!place.has(k)) p[k] = 0;
  for (let round = 0, last = Infinity; rows.length && round < CONE_NEWTON; round++) {
    const after = plus(times(W, p), r), F = Float64Array.from(rows, (k) => after[k]), A = sub(W, rows), plain = A.map((row) => row.slice());
    for (const c of closed.filter((own) => slides.get(own))) {
      const s = c.slip.map((k) => after[k]), f = c.slip.map((k) => p[k]), speed = norm(s), held = speed <= 1e-14, length = norm(f) || 1;
      const way = held ? f.map((x) => -x / length) : s.map((x) => x / speed);
      c.slip.forEach((k, i) => {
        const at = place.get(k);
        F[at] = f[i] + c.mu * p[c.gap] * way[i];
        A[at] = new Float64Array(rows.length);
        if (!held) c.slip.forEach((other, j) => { const turn = (Number(i === j) - way[i] * way[j]) / speed; plain[place.get(other)].forEach((x, n) => { A[at][n] += c.mu * p[c.gap] * turn * x; }); });
        A[at][at] += 1;
        A[at][place.get(c.gap)] += c.mu * way[i];
      });
    }
    const step = leastSquares(A, F.map((x) => -x), rows.length, CONE_RANK);
    rows.forEach((k, i) => { p[k] += step[i]; });
    const size = largest(step) / (largest(p) || 1);
    if (size <= 1e-15 || (size > last / 2 && size <= CONE_ROUNDING)) break;
    last = size;
  }
  return p;
}
// By Lemke's method: in the plane that is the law, in space pyramids stand for cones.
function byPivots(W, r, cones) {
  const unit = (rows) => { const x = new Float64Array(r.length); for (const [k, f] of rows) x[k] = f; return x; }, columns = cones.map((c) => unit([[c.gap, 1]])), ways = [];
  for (const c of cones) {
    const along = c.slip.length === 1 ? [[1], [-1]] : range(FACES).map((k) => [Math.cos((2 * Math.PI * k) / FACES), Math.sin((2 * Math.PI * k) / FACES)]);
    ways.push(c.slip.length ? along.map((s) => columns.push(unit(c.slip.map((k, i) => [k, s[i]]))) - 1) : []);
  }
  const m = columns.length, n = m + cones.length, M = zeros(n, n), q = new Float64Array(n), pushed = columns.map((x) => times(W, x));
  for (let i = 0; i < m; i++) { q[i] = dot(columns[i], r); for (let j = 0; j < m; j++) M[i][j] = dot(columns[i], pushed[j]); }
  cones.forEach((c, k) => { M[m + k][k] = c.mu; for (const i of ways[k]) { M[i][m + k] = 1; M[m + k][i] = -1; } });
  const z = lemke(M, q);
  return z && columns.reduce((p, x, k) => plus(p, x, z[k]), new Float64Array(r.length));
}
