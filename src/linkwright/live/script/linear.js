// Dense linear algebra for matrices of some tens of rows: an array of rows, each a Float64Array.

const zeros = (m, n) => Array.from({ length: m }, () => new Float64Array(n));
const transposed = (A, n = A[0]?.length ?? 0) => Array.from({ length: n }, (_, j) => Float64Array.from(A, (row) => row[j]));
const dot = (a, b) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; };
const times = (A, x) => Float64Array.from(A, (row) => dot(row, x));
const norm = (x) => Math.sqrt(dot(x, x));
const product = (x, s) => x.map((a, k) => a * s[k]);
const ratio = (x, s) => x.map((a, k) => a / s[k]);
const plus = (a, b, f = 1) => a.map((x, k) => x + f * b[k]);
const range = (n, from = 0) => Array.from({ length: n }, (_, k) => from + k);
const largest = (x) => x.reduce((m, v) => Math.max(m, Math.abs(v)), 0);

// Of m rows and n columns, with these values at [rows, columns].
function filled(m, n, [rows, columns], values) {
  const A = zeros(m, n);
  for (let k = 0; k < rows.length; k++) A[rows[k]][columns[k]] = values[k];
  return A;
}
// Z^T A Z, with the columns of Z.
const onto = (A, Z) => Z.map((a) => { const Aa = times(A, a); return Float64Array.from(Z, (c) => dot(c, Aa)); });

// A^T x
function timesT(A, x, n) {
  const out = new Float64Array(n);
  A.forEach((row, i) => { const f = x[i]; if (f !== 0) for (let j = 0; j < n; j++) out[j] += f * row[j]; });
  return out;
}

// Householder's elimination with pivots, A P = Q R, of the columns of A given as an array of columns: `rank` by the part `least` of the
// largest pivot, and `highest` where that is known. Columns are overwritten.
class Pivoted {
  constructor(columns, length, least, highest = Infinity) {
    const m = columns.length, most = Math.min(m, length, highest);
    Object.assign(this, { columns, length, order: Array.from({ length: m }, (_, j) => j), mirrors: [], rank: 0 });
    let first = 0;
    for (let k = 0; k < most; k++) {
      let best = -1, which = k;
      for (let j = k; j < m; j++) {
        let s = 0;
        const c = columns[j];
        for (let i = k; i < length; i++) s += c[i] * c[i];
        if (s > best) { best = s; which = j; }
      }
      const size = Math.sqrt(best);
      if (k === 0) first = size;
      if (!(size > least * first) || size === 0) break;
      [columns[k], columns[which]] = [columns[which], columns[k]];
      [this.order[k], this.order[which]] = [this.order[which], this.order[k]];
      const c = columns[k], alpha = c[k] > 0 ? -size : size, v = new Float64Array(length);
      for (let i = k; i < length; i++) v[i] = c[i];
      v[k] -= alpha;
      const norm = dot(v, v);
      this.mirrors.push({ v, k, norm });
      for (let j = k; j < m; j++) mirror(columns[j], v, k, norm);
      this.rank = k + 1;
    }
  }
  // Q x, or Q^T x
  turn(x, back) {
    const list = back ? this.mirrors : [...this.mirrors].reverse();
    for (const { v, k, norm } of list) mirror(x, v, k, norm);
    return x;
  }
}

function mirror(x, v, from, norm) {
  if (norm === 0) return;
  let s = 0;
  for (let i = from; i < v.length; i++) s += v[i] * x[i];
  s *= 2 / norm;
  if (s !== 0) for (let i = from; i < v.length; i++) x[i] -= s * v[i];
}

// The rows S (m of them, n columns): their rank, the smallest solution of S d = b, and a basis of what they leave free.
class Rows {
  constructor(S, n, least, highest) {
    this.n = n;
    this.qr = new Pivoted(S.map((row) => row.slice()), n, least, highest);
    this.rank = this.qr.rank;
    this.m = S.length;
  }
  // Columns of a basis of the displacements that violate nothing.
  get free() {
    return Array.from({ length: this.n - this.rank }, (_, k) => {
      const x = new Float64Array(this.n);
      x[this.rank + k] = 1;
      return this.qr.turn(x, false);
    });
  }
  // R^T as rows: S P = R^T Q^T, in the order of the pivots.
  get triangle() {
    const { columns } = this.qr;
    return columns.map((c) => c.slice(0, this.rank));
  }
  // The smallest d that satisfies S d = b best.
  least(b) {
    const { qr, rank, n, m } = this, x = new Float64Array(n);
    if (!rank) return x;
    const right = Float64Array.from(qr.order, (j) => b[j]);
    const z = m === rank ? lowerSolve(qr.columns, right, rank) : tall(this.triangle, right, rank);
    x.set(z);
    return qr.turn(x, false);
  }
  // The smallest x that satisfies S^T x = e best.
  leastT(e) {
    const { qr, rank, m } = this, y = qr.turn(Float64Array.from(e), true).slice(0, rank), x = new Float64Array(m);
    if (!rank) return x;
    // R x_P = y, R of `rank` rows and m columns
    const found = m === rank ? upperSolve(qr.columns, y, rank) : new Rows(transposed(this.triangle, rank), m, 1e-14).least(y);
    qr.order.forEach((j, k) => { x[j] = found[k]; });
    return x;
  }
}

// Rows by displacements in the units `scale`, each over its length: the smallest solutions of J d = b and of J^T lam = e, in their own units.
class Lines {
  constructor(J, scale, least, highest, lengths = null) {
    const S = J.map((row) => product(row, scale));
    Object.assign(this, { scale, lengths: lengths ?? S.map((row) => norm(row) || 1) });
    this.unit = S.map((row, k) => row.map((x) => x / this.lengths[k]));
    this.rows = new Rows(this.unit, scale.length, least, highest);
  }
  get rank() { return this.rows.rank; }
  get free() { return this.rows.free.map((z) => product(z, this.scale)); }
  least(b) { return product(this.rows.least(ratio(b, this.lengths)), this.scale); }
  leastT(e) { return ratio(this.rows.leastT(product(e, this.scale)), this.lengths); }
}

// R^T z = b and R z = b with the columns of R
function lowerSolve(columns, b, r) {
  const z = new Float64Array(r);
  for (let i = 0; i < r; i++) {
    let s = b[i];
    for (let j = 0; j < i; j++) s -= columns[i][j] * z[j];
    z[i] = s / columns[i][i];
  }
  return z;
}
function upperSolve(columns, b, r) {
  const z = Float64Array.from(b.subarray(0, r));
  for (let i = r - 1; i >= 0; i--) {
    z[i] /= columns[i][i];
    for (let k = 0; k < i; k++) z[k] -= columns[i][k] * z[i];
  }
  return z;
}
// min |A z - b| of full column rank
function tall(A, b, r) {
  const m = A.length, qr = new Pivoted(transposed(A, r), m, 1e-15), y = qr.turn(Float64Array.from(b), true);
  const z = upperSolve(qr.columns, y, qr.rank), out = new Float64Array(r);
  for (let k = 0; k < qr.rank; k++) out[qr.order[k]] = z[k];
  return out;
}

// A x = b by Gauss with pivots.
class Factors {
  constructor(A) {
    const n = A.length, rows = A.map((row) => row.slice()), order = range(n);
    Object.assign(this, { rows, order, singular: false });
    for (let k = 0; k < n; k++) {
      let p = k;
      for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[p][k])) p = i;
      if (!(Math.abs(rows[p][k]) > 0)) { this.singular = true; return; }
      [rows[k], rows[p]] = [rows[p], rows[k]];
      [order[k], order[p]] = [order[p], order[k]];
      for (let i = k + 1; i < n; i++) {
        const f = (rows[i][k] /= rows[k][k]);
        if (f !== 0) for (let j = k + 1; j < n; j++) rows[i][j] -= f * rows[k][j];
      }
    }
  }
  solve(b) {
    const { rows, order } = this, n = rows.length, x = Float64Array.from(order, (k) => b[k]);
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) x[i] -= rows[i][j] * x[j];
    for (let i = n - 1; i >= 0; i--) { for (let j = i + 1; j < n; j++) x[i] -= rows[i][j] * x[j]; x[i] /= rows[i][i]; }
    return x;
  }
}
// null where A is singular.
function solved(A, b) { const factors = new Factors(A); return factors.singular ? null : factors.solve(b); }

// The lower factor of a positive definite matrix; null where it is none.
function cholesky(A) {
  const n = A.length, L = zeros(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let s = A[i][j];
      for (let k = 0; k < j; k++) s -= L[i][k] * L[j][k];
      if (i === j) {
        if (!(s > 0)) return null;
        L[i][i] = Math.sqrt(s);
      } else L[i][j] = s / L[j][j];
    }
  }
  return L;
}
function choleskySolve(L, b) {
  const n = b.length, x = Float64Array.from(b);
  for (let i = 0; i < n; i++) { for (let j = 0; j < i; j++) x[i] -= L[i][j] * x[j]; x[i] /= L[i][i]; }
  for (let i = n - 1; i >= 0; i--) { for (let j = i + 1; j < n; j++) x[i] -= L[j][i] * x[j]; x[i] /= L[i][i]; }
  return x;
}
// Positive (semi)definite, or any symmetric matrix: by Cholesky where that goes, else by least squares.
function symmetricSolve(A, b) {
  const L = cholesky(A);
  return L ? choleskySolve(L, b) : new Rows(A, b.length, 1e-15).least(b);
}

// Of rows of one length the combination that comes nearest to nothing: how near, by what the largest comes to; and the parts of the rows.
function weakest(S) {
  const G = S.map((a) => Float64Array.from(S, (c) => dot(a, c))), random = chance(1), round = (x, by) => { const y = by(x), l = Math.sqrt(dot(y, y)); return l > 0 ? y.map((z) => z / l) : x; };
  const begun = Float64Array.from(S, () => random() - 0.5), eased = G.map((row, i) => row.map((x, j) => (i === j ? x + 1e-13 : x)));
  let most = begun, least = begun;
  for (let k = 0; k < 60; k++) [most, least] = [round(most, (x) => times(G, x)), round(least, (x) => symmetricSolve(eased, x))];
  const size = (x) => Math.sqrt(Math.max(dot(x, times(G, x)), 0));
  return { near: size(least) / size(most), parts: least.map(Math.abs) };
}
