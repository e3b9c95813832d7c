// Assembly: the configuration nearest to the estimates in which all joints close, and the velocities that they allow; as
// `linkwright.solve.nearest`, `linkwright.solve.least_change` have it.

const LEAST = 1e-9, CLOSED = 1e-10, HELD = 1e-15, ROUNDING = 1e-14, SLOW = 1e-10;  // as in `regularisation`, `nearest` and `start`
const finite = (x) => { for (let i = 0; i < x.length; i++) if (!Number.isFinite(x[i])) return false; return true; };

const METHODS = Object.create(null);  // what solves an analysis, by its name; the scripts of others are not in the page

class Trouble extends Error {
  constructor(element, cause, remedy = "") {
    super(cause);
    Object.assign(this, { element, cause, remedy });
  }
}

// A solution that the page itself would wait for too long: it is left to a thread of its own.
class Slow extends Error {}
const clock = { until: Infinity };
const hurry = () => { if (performance.now() > clock.until) throw new Slow(); };

// A machine with numbers in it.
class Machine {
  constructor(data, code) {
    Object.assign(this, { data, code, nq: data.nq, nv: data.nv });
    this.values = Object.create(null);  // of parameters
    data.parameters.forEach((name, k) => { this.values[name] = data.b[k]; });
    this.starts = Object.create(null);  // start values that were changed
    this.b = code.inputs.b.a.slice();
    const n = data.dimension, body = n === 2 ? [1, 1, 0] : [1, 1, 1, 0, 0, 0];
    this.isLength = [...Object.keys(data.bodies).flatMap(() => body), ...Array(data.extra).fill(0)];
  }

  // With these parameters, before anything is assembled.
  restart() {
    const { data, code } = this, b = new Float64Array(data.sizes.b);
    b.set(data.b);
    data.parameters.forEach((name, k) => { b[k] = this.values[name]; });
    this.b = b;
    this.check();
    this.known = new Set();  // phases
    this.turns = Float64Array.from(data.turns);
    const s = code.call("start", { b });
    const copy = Object.fromEntries(Object.entries(s).map(([k, room]) => [k, room.a.slice()]));
    for (const { name, kind, at } of data.starts) if (name in this.starts) copy[kind][at] = this.starts[name];
    this.estimate = copy;
    data.state_at.forEach((k, i) => { this.turns[k] = copy.states[i]; });
    this.length = largest(copy.sizes) || 1;
    this.scale = Float64Array.from(this.isLength, (is) => (is ? this.length : 1));
    const placed = new Set(data.starts.filter((s) => s.kind === "q" && s.name in this.starts).map((s) => s.at));
    this.q0 = copy.q.map((x, k) => (placed.has(k) ? x : x + data.unwound[k]));
    if (!finite(this.q0)) throw new Trouble([], "the estimates have no finite value for these parameters", "other values of parameters");
  }

  // Numbers of bodies and elements that make no machine, as `validate` has it.
  check() {
    const { limits } = this.data;
    if (!limits?.length) return;
    const told = (x) => String(Number(x.toPrecision(6)));
    this.code.call("limits", { b: this.b }).numbers.a.forEach((x, k, all) => {
      const { element, sign, cause, remedy } = limits[k];
      if (sign === "any" || (sign === "positive" ? x > 0 : sign === "nonzero" ? x !== 0 : x >= 0)) return;
      throw new Trouble([element], cause.replace("{}", told(x)).replace("{before}", () => told(all[k - 1])), remedy);
    });
  }

  give(q, t, v, d) {
    const { inputs } = this.code;
    inputs.q.a.set(q);
    if (v) inputs.v.a.set(v); else inputs.v.a.fill(0);
    inputs.t.a[0] = t;
    inputs.b.a.set(this.b);
    if (inputs.turns.count) inputs.turns.a.set(this.turns);
    if (d) inputs.d.a.set(d); else inputs.d.a.fill(0);
  }
  // The same at a state (q, v, turns, work).
  giveState(t, y) {
    const { nq, nv } = this;
    this.turns = y.slice(nq + nv, y.length - 1);
    this.give(y.subarray(0, nq), t, y.subarray(nq, nq + nv));
    return this;
  }
  rowsAt(q, t) {
    this.give(q, t);
    const { Phi, Phi_v } = this.code.call("position");
    return [Phi.a.slice(), filled(Phi.count, this.nv, this.data.pattern, Phi_v.a)];
  }
  // These rows at a position.
  lines(q, t, chosen, least) {
    const [, J] = this.rowsAt(q, t);
    return new Lines(chosen.map((k) => J[k]), this.scale, least);
  }
  // Of these rows: how near to dependence they are, and the elements whose parts in it are more than `share` of the largest.
  nearestDependence(q, t, chosen, share) {
    const { near, parts } = weakest(this.lines(q, t, chosen).unit), least = share * largest(parts);
    return { near, elements: [...new Set(chosen.filter((_, i) => parts[i] > least).map((k) => this.data.rows[k].element))] };
  }
  nu(q, t) { this.give(q, t); return this.code.call("velocity").nu.a.slice(); }
  gamma(q, v, t) { this.give(q, t, v); return this.code.call("acceleration").gamma.a.slice(); }
  retract(q, d) { this.give(q, 0, null, d); return this.code.call("retract").q.a.slice(); }

  // Take a configuration as the present one: references of angles, and phases that were not known.
  settle(q, t) {
    const { data } = this, first = data.b.length;
    this.give(q, t);
    const { turns, phases } = this.code.call("turned");
    this.turns = turns.a.slice(0, turns.count);
    for (let k = 0; k < phases.count; k++) if (!this.known.has(k)) { this.known.add(k); this.b[first + k] = phases.a[k]; }
  }
  active(drivers = true) {
    const out = [];
    this.data.rows.forEach((r, k) => {
      const phase = this.data.row_phases[k];
      if (!r.rate && (phase < 0 || this.known.has(phase)) && (drivers || !r.driver)) out.push(k);
    });
    return out;
  }

  bend(q, g) {
    const out = new Float64Array(this.nv);
    if (this.data.dimension === 3) {
      for (const [at, av] of Object.values(this.data.bodies)) {
        let s = 0;
        for (let j = 3; j < 7; j++) s += q[at + j] * g[at + j];
        out.fill(-0.25 * s, av + 3, av + 6);
      }
    }
    return out;
  }
}

// Phi = 0 at one time, with what is fixed; `drivers`: whether they count.
class Closure {
  constructor(machine, t, fixed = true, drivers = true) {
    Object.assign(this, { machine, t, scale: machine.scale, rows: machine.active(drivers) });
    this.fixes = fixed && machine.code.has("fixes") ? machine.data.fixes[0] : null;
    this.names = [...this.rows.map((k) => machine.data.rows[k].element), ...(this.fixes?.names ?? [])];
    this.count = this.names.length;
    // nonzeros of the derivative: for each row where its entries are among all, and in which columns
    const place = new Map(this.rows.map((k, i) => [k, i])), [i, j] = machine.data.pattern;
    this.own = Array.from({ length: this.count }, () => ({ at: [], columns: [] }));
    this.taken = [];
    i.forEach((k, e) => { const r = place.get(k); if (r !== undefined) { this.own[r].at.push(this.taken.length); this.own[r].columns.push(j[e]); this.taken.push(e); } });
    this.entries = this.taken.length;
    this.fixes?.pattern[0].forEach((k, e) => { const r = this.own[this.rows.length + k]; r.at.push(this.entries + e); r.columns.push(this.fixes.pattern[1][e]); });
  }
  // Phi and the nonzeros of its derivative.
  sparse(q) {
    const { machine: m, rows, taken, entries } = this, Phi = new Float64Array(this.count), x = new Float64Array(entries + (this.fixes?.pattern[0].length ?? 0));
    m.give(q, this.t);
    const found = m.code.call("position"), p = found.Phi.a, e = found.Phi_v.a;
    for (let k = 0; k < rows.length; k++) Phi[k] = p[rows[k]];
    for (let k = 0; k < entries; k++) x[k] = e[taken[k]];
    if (this.fixes) {
      const { values, entries: more } = m.code.call("fixes");
      for (let k = 0; k < values.count; k++) Phi[rows.length + k] = values.a[k] - m.estimate.fixed[k];
      x.set(more.a, entries);
    }
    return [Phi, x];
  }
  equations(q) {
    const { machine: m, rows } = this, [Phi, J] = m.rowsAt(q, this.t);
    const out = [Array.from(rows, (k) => Phi[k]), rows.map((k) => J[k])];
    if (this.fixes) joined(m, "fixes", this.fixes, m.estimate.fixed, q, this.t, out);
    return [Float64Array.from(out[0]), out[1]];
  }
  // Phi by row lengths, the derivative by relative displacements with rows of length one, the lengths.
  scaled(q) {
    const [Phi, J] = this.equations(q), lengths = this.lengths(J);
    return [Phi.map((x, k) => x / lengths[k]), this.relative(J, lengths), lengths];
  }
  lengths(J) {
    return J.map((row) => { let s = 0; for (let j = 0; j < row.length; j++) s += (row[j] * this.scale[j]) ** 2; s = Math.sqrt(s); return s > 1e-12 ? s : 1; });
  }
  relative(J, lengths) { return J.map((row, k) => row.map((x, j) => (x * this.scale[j]) / lengths[k])); }
  retract(q, d) { return this.machine.retract(q, d); }
  // sum of lam_k Phi_k'' by differences of J^T lam
  curvature(q, lam) {
    const n = this.scale.length, h = 1e-5, H = zeros(n, n), d = new Float64Array(n);
    const pulled = () => {
      const J = this.sparse(this.retract(q, d))[1], out = new Float64Array(n);
      this.own.forEach(({ at, columns }, k) => { for (let e = 0; e < at.length; e++) out[columns[e]] += lam[k] * J[at[e]]; });
      return out;
    };
    for (let k = 0; k < n; k++) {
      d[k] = h * this.scale[k];
      const ahead = pulled();
      d[k] = -d[k];
      const behind = pulled();
      d[k] = 0;
      for (let j = 0; j < n; j++) H[k][j] = (ahead[j] - behind[j]) / (2 * h * this.scale[k]);
    }
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) H[i][j] = H[j][i] = 0.5 * (H[i][j] + H[j][i]);
    return H;
  }
}

// Fixed quantities as further equations.
function joined(m, name, { pattern }, wanted, q, t, out) {
  m.give(q, t);
  const { values, entries } = m.code.call(name), rows = filled(values.count, m.nv, pattern, entries.a);
  for (let k = 0; k < values.count; k++) { out[0].push(values.a[k] - wanted[k]); out[1].push(rows[k]); }
}

const ok = (Phi, J) => finite(Phi) && J.every(finite);

// Half the gradient and half the Hessian of weight . (q - q0)^2 by relative displacements.
function distanceModel(problem, q, q0, weight) {
  const { machine, scale } = problem, n = scale.length, H = zeros(n, n), g = new Float64Array(n), { data, nq } = machine;
  const plain = (k, j) => { g[j] = weight[k] * scale[j] * (q[k] - q0[k]); H[j][j] = weight[k] * scale[j] * scale[j]; };
  if (data.dimension === 2) {
    for (let k = 0; k < nq; k++) plain(k, k);
    return [g, H];
  }
  for (const [at, av] of Object.values(data.bodies)) {
    for (let i = 0; i < 3; i++) plain(at + i, av + i);
    const G = turning(q, at + 3);
    for (let k = 0; k < 4; k++) {
      const w = 0.25 * weight[at + 3 + k];
      for (let i = 0; i < 3; i++) {
        g[av + 3 + i] += 2 * w * G[i][k] * (q[at + 3 + k] - q0[at + 3 + k]);
        for (let j = 0; j < 3; j++) H[av + 3 + i][av + 3 + j] += w * G[i][k] * G[j][k];
      }
    }
  }
  for (let k = 0; k < data.extra; k++) plain(nq - 1 - k, n - 1 - k);
  return [g, H];
}
// Twice the change of Euler parameters with a turn about each axis of the body.
function turning(q, at) {
  const e0 = q[at], e1 = q[at + 1], e2 = q[at + 2], e3 = q[at + 3];
  return [[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]];
}

// Gauss-Newton with trust in small steps on |q - q0|^2 + r |Phi|^2, r = 1, 100, ...
function penalty(problem, q, q0, weight) {
  const { scale, own } = problem, n = scale.length;
  const relative = (x, divide) => {  // the nonzeros by relative displacements, rows divided
    own.forEach(({ at, columns }, k) => { const f = 1 / divide[k]; for (let e = 0; e < at.length; e++) x[at[e]] *= scale[columns[e]] * f; });
    return x;
  };
  const valued = (x, r, lengths) => {
    const [Phi, J] = problem.sparse(x);
    let value = 0;
    for (let k = 0; k < Phi.length; k++) { Phi[k] /= lengths[k]; value += r * Phi[k] * Phi[k]; }
    for (let k = 0; k < x.length; k++) value += weight[k] * (x[k] - q0[k]) ** 2;
    return [value, Phi, relative(J, lengths)];
  };
  const lengthsAt = (x) => {
    const J = problem.sparse(x)[1];
    return own.map(({ at, columns }) => { let s = 0; for (let e = 0; e < at.length; e++) s += (J[at[e]] * scale[columns[e]]) ** 2; s = Math.sqrt(s); return s > 1e-12 ? s : 1; });
  };
  for (const r of [1, 1e2, 1e4, 1e6, 1e8]) {
    let damping = 1e-3;
    const lengths = lengthsAt(q);
    let [value, Phi, J] = valued(q, r, lengths);
    for (let round = 0; round < 30; round++) {
      hurry();
      const [g, H] = distanceModel(problem, q, q0, weight);
      own.forEach(({ at, columns }, k) => {
        for (let e = 0; e < at.length; e++) {
          const f = r * J[at[e]], row = H[columns[e]];
          g[columns[e]] += f * Phi[k];
          for (let c = 0; c < at.length; c++) row[columns[c]] += f * J[at[c]];
        }
      });
      for (let i = 0; i < n; i++) { H[i][i] += damping * (H[i][i] + 1e-12); g[i] = -g[i]; }
      const d = symmetricSolve(H, g), longest = largest(d), by = longest > 0.5 ? 0.5 / longest : 1;
      const trial = problem.retract(q, d.map((x, k) => x * by * scale[k])), [fresh, newPhi, newJ] = valued(trial, r, lengths);
      if (fresh < value && finite(newPhi) && finite(newJ)) {
        const small = value - fresh <= 1e-10 * value || longest * by < 1e-9;
        [q, value, Phi, J, damping] = [trial, fresh, newPhi, newJ, damping / 5];
        if (small) break;
      } else {
        damping *= 8;
        if (damping > 1e8) break;
      }
    }
  }
  return q;
}

// Newton on the conditions of the nearest point.
function polish(problem, q, q0, weight) {
  const { scale, machine } = problem, n = scale.length;
  let size = Infinity;
  for (let round = 0; round < 60; round++) {
    const [F, S, lengths] = problem.scaled(q);
    if (!ok(F, S)) break;
    const rows = new Rows(S, n, LEAST);
    let d = rows.least(F.map((x) => -x));
    if (rows.rank < n) {
      const Z = rows.free;
      let [g, H] = distanceModel(problem, q, q0, weight);
      const lam = rows.leastT(g.map((x) => -x)).map((x, k) => x / lengths[k]), C = problem.curvature(q, lam);
      const own = machine.bend(q, q.map((x, k) => weight[k] * (x - q0[k])));
      const bent = H.map((row, i) => row.map((x, j) => x + C[i][j] * scale[i] * scale[j] + (i === j ? own[i] * scale[i] ** 2 : 0)));
      let reduced = onto(bent, Z), use = bent;
      if (!cholesky(reduced)) { reduced = onto(H, Z); use = H; }
      const rest = times(use, d).map((x, k) => -g[k] - x), y = symmetricSolve(reduced, Float64Array.from(Z, (a) => dot(a, rest)));
      d = plus(d, timesT(Z, y, n));
    }
    const longest = largest(d);
    if (longest > 0.5) d = d.map((x) => (x * 0.5) / longest);
    q = problem.retract(q, d.map((x, k) => x * scale[k]));
    if (longest < 1e-13 || (longest < 1e-10 && longest > 0.5 * size)) break;
    size = longest;
  }
  return closeUp(problem, q);
}

// Newton with the least displacement on Phi = 0 alone, and the verdict.
function closeUp(problem, q) {
  const { scale } = problem;
  let correction = Infinity, nearestBy = Infinity, best = q;
  for (let round = 0; round < 30; round++) {
    const [Phi, S] = problem.scaled(q);
    if (!ok(Phi, S)) break;
    const d = new Rows(S, scale.length, LEAST).least(Phi.map((x) => -x)), size = largest(d);
    if (size < nearestBy) { nearestBy = size; best = q; }
    if (size <= 1e-14 || (size < 1e-12 && size >= 0.5 * correction)) { correction = size; break; }
    if (!Number.isFinite(size)) break;
    const by = Math.min(1, 0.5 / size);
    q = problem.retract(q, d.map((x, k) => x * by * scale[k]));
    correction = size;
  }
  if (correction > nearestBy && nearestBy < CLOSED) { q = best; correction = nearestBy; }
  const [Phi] = problem.scaled(q);
  return { q, closed: finite(Phi) && largest(Phi) < CLOSED && correction < 1e-6, residual: problem.equations(q)[0] };
}

function nearestTo(problem, q0, weight) {
  const [Phi, J] = problem.equations(q0), lengths = problem.lengths(J);
  if (ok(Phi, J) && largest(Phi.map((x, k) => x / lengths[k])) < HELD) return { q: q0, closed: true, residual: Phi };
  const start = penalty(problem, q0, q0, weight), found = polish(problem, start, q0, weight);
  if (found.closed) return found;
  const q = penalty(problem, start, start, weight.map(() => 0));
  return { q, closed: false, residual: problem.equations(q)[0] };
}

// A sequence of numbers that only looks like chance.
function chance(seed) {
  let x = seed >>> 0;
  return () => {
    x = (x + 0x6d2b79f5) >>> 0;
    let z = Math.imul(x ^ (x >>> 15), x | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
  };
}

// The closure nearest to q0; if there is none on the way from q0, that from other estimates, and back toward q0.
const TRIES = 12;
function search(problem, q0, tries = TRIES) {
  const weight = Float64Array.from(problem.machine.data.weights), found = nearestTo(problem, q0, weight);
  if (found.closed) return found;
  const { scale } = problem, distance = (q) => q.reduce((s, x, k) => s + weight[k] * (x - q0[k]) ** 2, 0);
  let best = null;
  for (let k = 1; k <= tries; k++) {
    const random = chance(k), d = scale.map((x) => x * 0.3 * (1 + (k % 8)) * (random() + random() + random() - 1.5) * 2);
    const start = problem.retract(q0, d), end = closeUp(problem, penalty(problem, start, start, weight.map(() => 1e-6)));
    if (end.closed && (!best || distance(end.q) < distance(best.q))) best = end;
  }
  if (!best) return found;
  const better = polish(problem, best.q, q0, weight);
  return Object.assign(better.closed ? better : best, { deadEnd: found });
}

// Assembled at time t; throws what is wrong in the product's words.
function assembled(machine, t) {
  let q0 = likelyContacts(machine, machine.q0, t);
  const problem = new Closure(machine, t), found = search(problem, q0);
  if (!found.closed) throw misfit(problem, found, q0);
  machine.note = found.deadEnd ? atFault(problem, q0, found) : "";
  machine.settle(found.q, t);
  return found.q;
}

const short = (x) => String(Number(x.toPrecision(9)));

// q0 with the parameters of every contact at the best of a grid.
function likelyContacts(machine, q0, t) {
  const GRID = 96;
  let q = q0.slice();
  for (const { places, curves, rows, sense } of machine.data.contacts) {
    const axes = curves.map(([from, to, closed]) => Array.from({ length: GRID }, (_, k) => from + ((to - from) * k) / (closed ? GRID : GRID - 1)));
    const points = axes.length === 1 ? axes[0].map((x) => [x]) : axes[0].flatMap((x) => axes[1].map((y) => [x, y]));
    const sizes = [], senses = [];
    for (const point of points) {
      places.forEach((at, i) => { q[at] = point[i]; });
      machine.give(q, t);
      const { Phi } = machine.code.call("position");
      sizes.push(rows.map((k) => Math.abs(Phi.a[k])));
      if (sense >= 0) senses.push(machine.code.call("turned").senses.a[sense]);
    }
    const mean = rows.map((_, i) => Math.max(sizes.reduce((s, x) => s + x[i], 0) / sizes.length, 1e-300));
    let cost = sizes.map((x) => x.reduce((s, y, i) => s + y / mean[i], 0));
    const most = Math.max(...cost);
    cost = cost.map((c, k) => (senses[k] < 0 ? c + 10 * most : c));
    const best = points[cost.indexOf(Math.min(...cost))];
    places.forEach((at, i) => { q[at] = best[i]; });
  }
  return q;
}

// The velocity nearest to the estimate that the joints allow; what is fixed is met exactly, estimates that are not zero count first.
function startVelocity(machine, q, t) {
  const { nv, scale, data } = machine, [, J] = machine.rowsAt(q, t), nu = machine.nu(q, t), estimate = machine.estimate.v;
  const out = [Array.from(nu, (x) => -x), [...J]], names = data.rows.map((r) => r.name);
  if (machine.code.has("fixes_v")) { joined(machine, "fixes_v", data.fixes[1], machine.estimate.fixed_v, q, t, out); names.push(...data.fixes[1].names); }
  const c = out[0].map((x) => -x), C = out[1];
  const lines = new Lines(C, scale, LEAST), { lengths } = lines;
  let v = lines.least(Float64Array.from(c));
  const wrong = C.map((row, k) => Math.abs(dot(row, v) - c[k]) / lengths[k]);
  const size = largest(v.map((x, j) => x / scale[j])) + Math.max(0, ...c.map((x, k) => Math.abs(x) / lengths[k]));
  const bad = wrong.map((x, k) => (x > 1e-8 * Math.max(size, 1e-12) ? names[k] : null)).filter(Boolean);
  if (bad.length) throw new Trouble(bad.slice(0, 8), `no velocity satisfies ${bad.slice(0, 8).join(", ")}`, "velocities that are fixed or driven contradict each other here: take one away");
  let Z = new Lines(C, scale, 1e-8).free;  // columns
  const trust = scale.map((s, j) => Math.sqrt(data.velocity_weights[j]) / s);
  const least = 1e-9 * Math.max(0, ...Z.map((z) => Math.sqrt(z.reduce((s, x, j) => s + (x * trust[j]) ** 2, 0))));
  for (const first of [true, false]) {
    const group = [];
    for (let j = 0; j < nv; j++) if ((estimate[j] !== 0) === first) group.push(j);
    if (!Z.length || !group.length) continue;
    // of the numbers of the group the nearest, and the freedom that they leave
    const A = group.map((j) => Float64Array.from(Z, (z) => z[j] * trust[j])), own = new Rows(A, Z.length, least / (largestRow(A) || 1));
    const y = own.least(Float64Array.from(group, (j) => (estimate[j] - v[j]) * trust[j]));
    v = plus(v, timesT(Z, y, nv));
    Z = own.free.map((f) => timesT(Z, f, nv));
  }
  // what is nothing but rounding of others is zero: laws that jump where something stands still would begin on either side
  const asked = [...scale.map((s, j) => Math.abs(estimate[j] / s)), ...c.map((x, k) => Math.abs(x) / lengths[k])].filter((x) => x > 0), most = largest(v.map((x, j) => x / scale[j]));
  if (!asked.length || Math.min(...asked) < SLOW * Math.max(...asked)) return v;
  return v.map((x, j) => (Math.abs(x / scale[j]) < ROUNDING * most ? 0 : x));
}
function largestRow(A) { return Math.max(0, ...A.map((row) => Math.sqrt(dot(row, row)))); }
