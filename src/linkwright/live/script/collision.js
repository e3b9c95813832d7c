// Impacts of several contacts at one time, and the linear algebra of impulses; as `linkwright.analyses.dynamics.contact.collision`,
// `linkwright.saddle` have it.

const TIE = 1e-9, SMALL = 1e-9, MOST_IMPACTS = 2000, MADE = 1e-12, HALVED = 50, NONE = 1e-13, SADDLE = 1e-12;

// [H B^T; B 0] (x, lam) = (f, g): rows of B may depend on each other.
class Saddle {
  constructor(H, B, scale) {
    const n = scale.length, m = B.length, K = zeros(n + m, n + m), rows = B.map((row) => product(row, scale));
    this.lengths = rows.map((row) => norm(row) || 1);
    this.unit = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) { K[i][j] = H[i][j] * scale[i] * scale[j]; this.unit = Math.max(this.unit, Math.abs(K[i][j])); }
    this.unit ||= 1;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) K[i][j] /= this.unit;
    rows.forEach((row, k) => { for (let j = 0; j < n; j++) K[n + k][j] = K[j][n + k] = row[j] / this.lengths[k]; });
    Object.assign(this, { n, scale, K: new Rows(K, n + m, SADDLE) });
  }
  solve(f, g) {
    const { n, scale, unit, lengths } = this, b = new Float64Array(n + lengths.length);
    if (f) for (let j = 0; j < n; j++) b[j] = (f[j] * scale[j]) / unit;
    if (g) lengths.forEach((l, k) => { b[n + k] = g[k] / l; });
    const x = this.K.least(b);
    return [product(x.slice(0, n), scale), Float64Array.from(lengths, (l, k) => (x[n + k] * unit) / l)];
  }
}

const FREE_RANK = 1e-8;
// M a + J^T lam = f, J a = gamma, whatever the rows are: a is unique, lam the least of many, by weights of rows if there are some.
// `rank`: of the rows, where that is known.
class Response {
  constructor(M, J, scale, weights = null, rank = Infinity) {
    const rows = new Lines(J, scale, FREE_RANK, rank), shared = weights && rows.rank < J.length, Z = rows.free;
    Object.assign(this, { M, rows, Z, reduced: onto(M, Z), multipliers: shared ? new Lines(J, scale, FREE_RANK, rank, weights.map(Math.sqrt)) : rows });
  }
  of(f, gamma) {
    const { M, Z, rows } = this;
    let a = gamma ? rows.least(gamma) : new Float64Array(rows.scale.length);
    if (Z.length) a = plus(a, timesT(Z, symmetricSolve(this.reduced, times(Z, plus(f, times(M, a), -1))), a.length));
    return [a, this.multipliers.leastT(plus(f, times(M, a), -1))];
  }
}

// Impulses p of contacts that touch, who was struck in which order, and the rates afterwards: r+ = r + W p.
function collision(W, rates, restitution, rubs = []) {
  const count = restitution.length, cones = restitution.map((_, gap) => rubs.find((c) => c.gap === gap) ?? { gap, slip: [], mu: 0 }), plastic = restitution.map((e) => e === 0), order = [];
  let p = new Float64Array(rates.length), r = Float64Array.from(rates), struck = false, rounds = 0;
  const fastest = () => r.subarray(0, count).reduce((m, x) => Math.max(m, -x), 0), least = SMALL * fastest();
  const add = (more) => { const change = times(W, more); p = p.map((x, k) => x + more[k]); r = r.map((x, k) => x + change[k]); };
  for (let most = fastest(); most > least && rounds < MOST_IMPACTS; most = fastest()) {
    const first = Array.from(r.subarray(0, count), (x) => x < -(1 - TIE) * most);
    first.forEach((is, k) => { if (is && !order.includes(k)) order.push(k); });
    add(blow(W, r, restitution.map((e, k) => (first[k] ? e : 0)), cones.filter((c) => first[c.gap] || plastic[c.gap])));
    struck = true;
    rounds++;
  }
  if (struck && r.subarray(0, count).some((x) => x < 0)) add(blow(W, r, restitution.map(() => 0), cones));
  return { p, order, rates: r.slice(0, count) };
}

// The impulses of contacts that are struck at once. Newton's law makes energy where contacts of several restitutions feed each other:
// as much of the restitution is taken as makes none.
function blow(W, r, e, among) {
  const gaps = Array.from(r, (_, k) => among.some((c) => c.gap === k)), taking = (part) => {
    const q = r.map((x, k) => (1 + part * (e[k] ?? 0)) * x);
    return (among.some((c) => c.slip.length) && impulses(W, q, among)) || oneSided(W, q, gaps);
  }, work = (p) => dot(p, r) + 0.5 * dot(p, times(W, p));
  let most = taking(1), low = 0, high = 1;
  const none = (x) => MADE * Math.abs(dot(x, r));
  if (!(work(most) > none(most))) return most;
  let p = taking(0);
  for (let k = 0; k < 2 * HALVED; k++) {
    const part = low + (high - low) * (k % 2 ? 0.5 : workless(W, r, p, most)), more = taking(part), own = work(more);
    if (Math.abs(own) <= none(more)) return more;
    if (own > 0) [high, most] = [part, more]; else [low, p] = [part, more];
  }
  return p;
}
// How far from impulses that take energy to others that make some their work is zero: it is a quadratic where impulses are linear.
function workless(W, r, low, high) {
  const d = plus(high, low, -1), Wlow = times(W, low), a = 0.5 * dot(d, times(W, d)), b = dot(d, r) + dot(d, Wlow), c = Math.min(dot(low, r) + 0.5 * dot(low, Wlow), 0);
  const root = Math.sqrt(Math.max(b * b - 4 * a * c, 0));
  return b > 0 ? Math.min((-2 * c) / (b + root), 1) : a > 0 ? Math.min((root - b) / (2 * a), 1) : 0.5;
}

// p >= 0 with W p + q >= 0 and p.(W p + q) = 0 among some; zero elsewhere.
function oneSided(W, q, among) {
  const p = new Float64Array(q.length), at = [];
  among.forEach((is, k) => { if (is && W[k][k] > 0) at.push(k); });
  if (!at.some((k) => q[k] < 0)) return p;
  const unit = at.map((k) => Math.sqrt(W[k][k])), { values, vectors } = eigen(at.map((i, a) => Float64Array.from(at, (j, b) => W[i][j] / (unit[a] * unit[b]))));
  const most = Math.max(...values), good = values.map((_, k) => k).filter((k) => values[k] > NONE * most);
  const A = good.map((k) => vectors[k].map((x) => x * Math.sqrt(values[k])));
  const b = Float64Array.from(good, (k) => -vectors[k].reduce((s, x, i) => s + (x * q[at[i]]) / unit[i], 0) / Math.sqrt(values[k]));
  nonnegative(A, b, at.length).forEach((x, i) => { p[at[i]] = x / unit[i]; });
  return p;
}

// Least squares |A x - b| with x >= 0, by active sets (Lawson and Hanson).
function nonnegative(A, b, n) {
  let x = new Float64Array(n), held = new Array(n).fill(false);
  const size = largest(timesT(A, b, n));
  for (let round = 0; round < 10 * n; round++) {
    const residual = times(A, x).map((y, k) => b[k] - y), slope = timesT(A, residual, n).map((y, k) => (held[k] ? -Infinity : y));
    const best = slope.indexOf(Math.max(...slope));
    if (held.every(Boolean) || slope[best] <= 1e-14 * size) break;
    held[best] = true;
    let full;
    for (;;) {
      const some = held.map((is, k) => (is ? k : -1)).filter((k) => k >= 0), found = new Rows(A.map((row) => Float64Array.from(some, (k) => row[k])), some.length, 1e-15).least(b);
      full = new Float64Array(n);
      some.forEach((k, i) => { full[k] = found[i]; });
      if (some.every((k) => full[k] > 0)) break;
      let step = 1;
      for (const k of some) if (full[k] <= 0 && x[k] > full[k]) step = Math.min(step, x[k] / (x[k] - full[k]));
      x = x.map((y, k) => y + step * (full[k] - y));
      const most = largest(x);
      held = held.map((is, k) => is && x[k] > 1e-15 * most);
      x = x.map((y, k) => (held[k] ? y : 0));
      if (!held.some(Boolean)) break;
    }
    x = full.map((y, k) => (held[k] ? y : 0));
  }
  return x;
}

// Eigenvalues and vectors (rows) of a small symmetric matrix, by Jacobi's rotations.
function eigen(S) {
  const n = S.length, A = S.map((row) => row.slice()), V = zeros(n, n);
  for (let i = 0; i < n; i++) V[i][i] = 1;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) off += A[i][j] ** 2;
    if (off < 1e-32) break;
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) {
      if (A[i][j] === 0) continue;
      const tau = (A[j][j] - A[i][i]) / (2 * A[i][j]), t = (tau < 0 ? -1 : 1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau)), c = 1 / Math.sqrt(1 + t * t), s = t * c;
      for (let k = 0; k < n; k++) { const x = A[k][i], y = A[k][j]; A[k][i] = c * x - s * y; A[k][j] = s * x + c * y; }
      for (let k = 0; k < n; k++) { const x = A[i][k], y = A[j][k]; A[i][k] = c * x - s * y; A[j][k] = s * x + c * y; }
      for (let k = 0; k < n; k++) { const x = V[i][k], y = V[j][k]; V[i][k] = c * x - s * y; V[j][k] = s * x + c * y; }
    }
  }
  return { values: A.map((row, i) => row[i]), vectors: V };
}
