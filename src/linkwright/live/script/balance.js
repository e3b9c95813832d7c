// Equilibrium: downhill in the potential among the configurations that the joints allow, then Newton's method; as
// `linkwright.analyses.statics` has it.

class Balance {
  constructor(data, code) {
    this.machine = new Machine(data, code);
    this.data = data;
  }

  // The terms at rest, copied.
  at(q) {
    const m = this.machine, { M, Q, Phi_v, energy } = termsAt(m, this.data.t[0], q, null, m.turns), S = zeros(this.data.rows.length, m.nv), x = Phi_v.a;
    this.data.pattern[0].forEach((i, k) => { S[i][this.data.pattern[1][k]] = x[k]; });
    return { Q: Q.a.slice(), J: S, V: energy.a[1] };
  }
  // The unbalanced force with these multipliers: zero where the machine rests.
  unbalanced(q, lam) {
    const { Q, J } = this.at(q), pull = timesT(J, lam, this.machine.nv);
    return Q.map((x, j) => pull[j] - x);
  }
  // Free displacements, multipliers of least norm, the force along the free ones and how it changes with them.
  model(q) {
    const m = this.machine, { scale, nv } = m, { Q, J, V } = this.at(q), lengths = J.map((row) => Math.sqrt(row.reduce((s, x, j) => s + (x * scale[j]) ** 2, 0)) || 1);
    const rows = new Rows(J.map((row, k) => row.map((x, j) => (x * scale[j]) / lengths[k])), nv, 1e-8), Z = rows.free.map((z) => z.map((x, j) => x * scale[j]));
    const lam = rows.leastT(Q.map((x, j) => x * scale[j])).map((x, k) => x / lengths[k]), h = 1e-5;
    const R = this.unbalanced(q, lam), g = Float64Array.from(Z, (z) => dot(z, R));
    const columns = Z.map((z) => {
      const [ahead, behind] = [h, -h].map((f) => this.unbalanced(m.retract(q, z.map((x) => f * x)), lam));
      return Float64Array.from(Z, (c) => c.reduce((s, x, j) => s + (x * (ahead[j] - behind[j])) / (2 * h), 0));
    });
    const K = columns.map((col, i) => col.map((x, j) => 0.5 * (x + columns[j][i])));
    return { Z, g, K, V };
  }

  solve() {
    const m = this.machine, t = this.data.t[0];
    m.restart();
    let q = assembled(m, t);
    const problem = new Closure(m, t, false), moved = (from, d) => { const end = closeUp(problem, m.retract(from, d)); return end.closed ? end.q : null; };
    let before = Infinity, done = false;
    for (let round = 0; round < 200 && !done; round++) {
      const { Z, g, K, V } = this.model(q);
      if (!Z.length) break;
      const size = Math.max(...K.map((row) => largest(row)), 1e-300);
      let shift = 0, L = cholesky(K);
      while (!L) { shift = shift ? 4 * shift : 1e-3 * size; L = cholesky(K.map((row, i) => row.map((x, j) => x + (i === j ? shift : 0)))); }
      const u = choleskySolve(L, g.map((x) => -x));
      let d = new Float64Array(m.nv);
      Z.forEach((z, k) => { for (let j = 0; j < d.length; j++) d[j] += u[k] * z[j]; });
      const long = largest(d.map((x, j) => x / m.scale[j]));
      if (long > 0.3) d = d.map((x) => (x * 0.3) / long);
      let next = null;
      for (let part = 1; part > 1e-6 && !next; part /= 2) {
        const trial = moved(q, d.map((x) => x * part));
        if (trial && (long < 1e-4 || this.at(trial).V <= V + 1e-12 * Math.abs(V))) next = trial;
      }
      if (!next) break;
      q = next;
      m.settle(q, t);
      done = !shift && (long < 1e-13 || (long < 1e-10 && long > 0.5 * before));
      before = long;
    }
    if (!done && this.model(q).Z.length) throw new Trouble([], "no equilibrium was found from the estimates", "other estimates, or a machine that can come to rest: lw.equilibrium has further methods");
    m.settle(q, t);
    return this.over(q, t);
  }
  over(q, t) {
    const m = this.machine, still = new Float64Array(m.nv), out = { t: Float64Array.of(t), q: [q], v: [still], a: [still], turns: [m.turns], energy: [], points: [], reactions: [] };
    tellForces(m, out, { t, q, v: still, turns: m.turns, work: 0 }, still, (terms) => smallest(m, terms, still));
    return out;
  }
}
METHODS.equilibrium = Balance;
