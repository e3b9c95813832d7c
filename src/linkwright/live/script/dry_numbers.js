// Numbers of dry friction: linear complementarity, forces within balls, fixed points; as `linkwright.solve.complementarity`,
// `dry_problem`, `fixed_point` have them.

const TINY = 1e-11, PIVOTS = 50, GRADIENTS = 1000, FIXED_ROUNDS = 100, FIXED_MEMORY = 6, FIXED_RANK = 1e-8, SETTLED = 1e-13;
const sum = (x) => x.reduce((s, a) => s + a, 0);
const sub = (A, rows, columns = rows) => rows.map((i) => Float64Array.from(columns, (j) => A[i][j]));
// The smallest x with A x = b best.
const leastSquares = (A, b, n, rank) => new Rows(A, n, rank).least(b);

// w = M z + q with w >= 0, z >= 0, w z = 0, by Lemke's method; null where pivots end on a ray.
function lemke(M, q) {
  const n = q.length;
  if (!n || q.every((x) => x >= 0)) return new Float64Array(n);
  const row = M.map((r) => largest(r) || 1), column = Float64Array.from(range(n), (j) => Math.max(0, ...M.map((r, i) => Math.abs(r[j] / row[i]))) || 1);
  const right = q.map((x, i) => x / row[i]), size = largest(right), z = pivoted(M.map((r, i) => r.map((x, j) => x / row[i] / column[j])), right.map((x) => x / size));
  return z && z.map((x, j) => (x * size) / column[j]);
}
// The tableau [I  -M  -1 | q | I]: the last columns are for lexicographic ties.
function pivoted(M, q) {
  const n = q.length, T = M.map((row, i) => Float64Array.from([...range(n).map((k) => Number(k === i)), ...row.map((x) => -x), -1, q[i], ...range(n).map((k) => Number(k === i))]));
  const basis = range(n);
  let leaving = lexicographic(T.map((row) => row.subarray(2 * n + 1))), entering = 2 * n;
  for (let round = 0; round < PIVOTS * n; round++) {
    const out = basis[leaving];
    basis[leaving] = entering;
    const own = T[leaving], f = own[entering];
    for (let j = 0; j < own.length; j++) own[j] /= f;
    T.forEach((r, i) => { const g = r[entering]; if (i !== leaving && g !== 0) for (let j = 0; j < r.length; j++) r[j] -= g * own[j]; });
    if (out === 2 * n) {
      const z = new Float64Array(2 * n + 1);
      basis.forEach((k, i) => { z[k] = T[i][2 * n + 1]; });
      return z.slice(n, 2 * n).map((x) => Math.max(x, 0));
    }
    entering = out < n ? out + n : out - n;
    const rows = range(n).filter((i) => T[i][entering] > TINY);
    if (!rows.length) return null;
    const ratios = rows.map((i) => T[i].slice(2 * n + 1).map((x) => x / T[i][entering])), first = Math.min(...ratios.map((r) => r[0])), artificial = rows.findIndex((i) => basis[i] === 2 * n);
    leaving = artificial >= 0 && ratios[artificial][0] <= first + TINY * (1 + Math.abs(first)) ? rows[artificial] : rows[lexicographic(ratios)];
  }
  return null;
}
// The least of rows, but for rounding.
function lexicographic(rows) {
  let left = range(rows.length);
  for (let j = 0; j < rows[0].length && left.length > 1; j++) {
    const least = Math.min(...left.map((k) => rows[k][j]));
    left = left.filter((k) => rows[k][j] <= least + TINY * (1 + Math.abs(least)));
  }
  return left[0];
}

// The least of x W x / 2 + r x with every part within its radius: accelerated projected gradients with restarts.
function inBalls(W, r, start, parts, radii) {
  const step = 1 / Math.max(...eigen(W).values, 1e-300), size = Math.max(largest(r), 1e-300);
  const within = (x) => {
    const out = x.slice();
    parts.forEach(([a, b], k) => { const length = norm(x.subarray(a, b)); if (length > radii[k]) for (let i = a; i < b; i++) out[i] *= radii[k] / length; });
    return out;
  };
  let x = within(start), ahead = x, pace = 1;
  for (let round = 0; round < GRADIENTS; round++) {
    const slope = plus(times(W, ahead), r), fresh = within(plus(ahead, slope, -step));
    if (largest(plus(fresh, ahead, -1)) <= 1e-12 * size * step) return fresh;
    if (dot(plus(ahead, fresh, -1), plus(fresh, x, -1)) > 0) { ahead = fresh; pace = 1; }
    else {
      const faster = 0.5 * (1 + Math.sqrt(1 + 4 * pace * pace));
      ahead = plus(fresh, plus(fresh, x, -1), (pace - 1) / faster);
      pace = faster;
    }
    x = fresh;
  }
  return x;
}

// x = g(x): repeated insertion with Anderson's acceleration; the best that was found.
function fixedPoint(g, start, memory) {
  const most = Math.min(memory, FIXED_MEMORY);
  let x = start, best = x, left = Infinity, last = null, dx = [], dr = [];
  for (let round = 0; round < FIXED_ROUNDS; round++) {
    const r = plus(g(x), x, -1), off = largest(r);
    if (off < left) { best = plus(x, r); left = off; }
    if (left <= SETTLED * Math.max(largest(best), 1e-300)) break;
    if (last) { dx = [...dx, plus(x, last[0], -1)].slice(-most); dr = [...dr, plus(r, last[1], -1)].slice(-most); }
    last = [x, r];
    x = plus(x, r);
    if (!finite(x)) break;
    if (dr.length) {
      const part = leastSquares(transposed(dr, r.length), r, dr.length, FIXED_RANK);
      dx.forEach((d, k) => { x = plus(plus(x, d, -part[k]), dr[k], -part[k]); });
    }
  }
  return best;
}

// The roots of a polynomial with complex coefficients [re, im], the highest first (Durand and Kerner).
function roots(coefficients) {
  const by = (a, b) => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]], over = (a, b) => { const d = b[0] ** 2 + b[1] ** 2; return [(a[0] * b[0] + a[1] * b[1]) / d, (a[1] * b[0] - a[0] * b[1]) / d]; };
  const c = coefficients.slice(coefficients.findIndex(([x, y]) => Math.hypot(x, y) > 1e-14 * Math.max(...coefficients.map(([a, b]) => Math.hypot(a, b)))));
  const n = c.length - 1, monic = c.map((x) => over(x, c[0])), at = (z) => monic.slice(1).reduce((s, x) => { const p = by(s, z); return [p[0] + x[0], p[1] + x[1]]; }, [1, 0]);
  let z = range(n).map((k) => { const a = 0.4 + (2 * Math.PI * k) / Math.max(n, 1); return [Math.cos(a), Math.sin(a)]; });
  for (let round = 0; round < 200; round++) {
    let change = 0;
    z = z.map((own, k) => {
      const d = over(at(own), z.reduce((p, other, j) => (j === k ? p : by(p, [own[0] - other[0], own[1] - other[1]])), [1, 0]));
      change = Math.max(change, Math.hypot(...d));
      return Number.isFinite(d[0]) ? [own[0] - d[0], own[1] - d[1]] : own;
    });
    if (change < 1e-15) break;
  }
  return z;
}
