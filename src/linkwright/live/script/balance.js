// Equilibrium: downhill in the potential among the configurations that the joints allow, then Newton's method; as
// `linkwright.analyses.statics.search` has it, with the stiffness by differences.

const STEPS = 200, NEUTRAL = 1e-7, NEARBY = 1e-5;

class Balance {
  constructor(data, code) {
    this.machine = new Machine(data, code);
    this.data = data;
    this.t = data.t[0];
  }

  // The terms at rest, copied.
  at(q) {
    const m = this.machine, { Q, Phi_v, energy } = termsAt(m, this.t, q, null, m.turns);
    return { Q: Q.a.slice(), J: filled(this.data.rows.length, m.nv, this.data.pattern, Phi_v.a), V: energy.a[1] };
  }
  // The unbalanced force with these multipliers: zero where the machine rests.
  unbalanced(q, lam) {
    const { Q, J } = this.at(q), pull = timesT(J, lam, this.machine.nv);
    return Q.map((x, j) => pull[j] - x);
  }
  // Free displacements Z, by which coordinates they are told, the force and the stiffness along them in the lengths of the machine.
  model(q) {
    const m = this.machine, { scale, nv } = m, { Q, J, V } = this.at(q), lines = new Lines(J, scale, 1e-8);
    const { free } = lines.rows, n = free.length, lam = lines.leastT(Q), force = lines.free, rounding = 1e-14 * Q.reduce((s, x, j) => s + Math.abs(x) * scale[j], 0);
    // a unit matrix in the rows of independent displacements, each made as long as the machine's scales say
    const chosen = new Pivoted(range(nv).map((j) => Float64Array.from(free, (z) => z[j])), n, 0, n).order.slice(0, n).sort((a, b) => a - b);
    const block = new Factors(chosen.map((j) => Float64Array.from(free, (z) => z[j]))), parts = range(n).map((k) => {
      const own = block.solve(Float64Array.from(range(n), (i) => Number(i === k))), z = timesT(free, own, nv), l = norm(z);
      return own.map((x) => x / l);
    });
    const Z = parts.map((own) => timesT(force, own, nv));
    const columns = force.map((z) => {
      const [ahead, behind] = [NEARBY, -NEARBY].map((f) => this.unbalanced(m.retract(q, z.map((x) => f * x)), lam));
      return Float64Array.from(force, (c) => dot(c, ahead.map((x, j) => (x - behind[j]) / (2 * NEARBY))));
    });
    const turned = parts.map((own) => Float64Array.from(range(n), (i) => columns.reduce((s, col, k) => s + own[k] * col[i], 0)));
    const K = parts.map((own) => Float64Array.from(turned, (col) => dot(own, col)));
    if (this.data.conservative) K.forEach((row, i) => { for (let j = 0; j < i; j++) row[j] = K[j][i] = 0.5 * (row[j] + K[j][i]); });
    return { Z, K, f: Float64Array.from(Z, (z) => dot(z, Q)), Q, V, chosen, rounding };
  }

  // A displacement, closed again; null where that is not possible.
  moved(q, d) {
    const end = closeUp(new Closure(this.machine, this.t, false), this.machine.retract(q, d));
    if (!end.closed) return null;
    this.machine.settle(end.q, this.t);
    return end.q;
  }
  long(d) { return largest(d.map((x, j) => x / this.machine.scale[j])); }

  // Newton's method with the stiffness made positive, in steps that lower the energy.
  downhill(q) {
    let radius = 0.3;
    for (let round = 0; round < STEPS; round++) {
      const now = this.model(q);
      if (!now.Z.length) return q;
      let d = timesT(now.Z, downward(now), this.machine.nv);
      const long = this.long(d);
      if (long < 1e-10) return q;
      d = d.map((x) => x * Math.min(1, radius / long));
      const trial = this.moved(q, d);
      if (trial && this.lower(trial, d, now)) { q = trial; radius = Math.min(2 * radius, 0.5); continue; }
      radius = 0.25 * Math.min(radius, long);
      if (radius < 1e-12) return q;
    }
    throw new Trouble([this.data.name], `no equilibrium was found in ${STEPS} steps: the energy decreases without bound, or forces keep it moving`, "hold the machine by springs or stops, or start elsewhere");
  }
  lower(trial, d, now) {
    const after = this.at(trial);
    if (this.data.conservative) return after.V <= now.V + 1e-14 * Math.abs(now.V) + now.rounding;
    return dot(now.Q.map((x, j) => x + after.Q[j]), d) >= -1e-12 * dot(now.Q.map(Math.abs), d.map(Math.abs));
  }

  // Newton's method to the last digits; neutral directions are left alone.
  newton(q) {
    let last = Infinity;
    for (let round = 0; round < 60; round++) {
      const { Z, K, f, Q, chosen, rounding } = this.model(q);
      if (!Z.length || largest(f) <= rounding) return q;
      const x = new Rows(K, f.length, NEUTRAL).least(f), d = timesT(Z, x, this.machine.nv), long = this.long(d);
      if (long < 1e-13 || (long < 1e-9 && long > 0.5 * last)) {
        const left = f.map((v, i) => Math.abs(v - dot(K[i], x))), worst = left.indexOf(largest(left));
        if (left[worst] <= 1e-9 * Math.max(largest(Q.map((v, j) => v * this.machine.scale[j])), ...K.map(largest))) return q;
        const name = this.data.v[chosen[worst]];
        throw new Trouble([name.slice(0, name.lastIndexOf("."))], `nothing holds ${name} against a force of ${three(f[worst] / Z[worst][chosen[worst]])}`, "hold it by a spring, a stop or a joint, or take the force away");
      }
      const trial = this.moved(q, d.map((v) => v * Math.min(1, 0.3 / long)));
      if (!trial) break;
      q = trial;
      last = long;
    }
    throw new Trouble([this.data.name], `no equilibrium is found from here: forces of ${three(largest(this.model(q).f))} stay unbalanced`, "better estimates, or lw.equilibrium, which has further methods");
  }

  solve() {
    const m = this.machine;
    m.restart();
    const q = this.newton(this.downhill(assembled(m, this.t)));
    m.settle(q, this.t);
    return this.over(q, this.t);
  }
  over(q, t) {
    const m = this.machine, still = new Float64Array(m.nv), out = { t: Float64Array.of(t), q: [q], v: [still], a: [still], turns: [m.turns], energy: [], points: [], reactions: [] };
    tellForces(m, out, { t, q, v: still, turns: m.turns, work: 0 }, still, (terms) => smallest(m, terms, still));
    return out;
  }
}
METHODS.equilibrium = Balance;

const three = (x) => String(Number(x.toPrecision(3)));

// The step of Newton's method with the stiffness made positive; off a hill on which it rests along the steepest way down.
function downward({ K, f, rounding }) {
  const { values, vectors } = eigen(K.map((row, i) => row.map((x, j) => 0.5 * (x + K[j][i])))), clean = (x) => (Math.abs(x) > rounding ? x : 0);
  const along = vectors.map((w) => clean(dot(w, f))), sizes = values.map(clean), size = largest(sizes), down = vectors[0];
  if (sizes[0] < -NEUTRAL * size && largest(along) < 1e-9 * size) {
    const most = largest(down), sign = Math.sign(down.find((x) => Math.abs(x) > 0.999 * most));
    return down.map((x) => 0.01 * sign * x);
  }
  const floor = Math.max(1e-6 * size, 1e-12 * largest(along), 1e-300);
  return timesT(vectors, along.map((x, k) => x / Math.max(Math.abs(sizes[k]), floor)), f.length);
}

// Eigenvalues of a symmetric matrix, from the least, and their vectors, by Jacobi's rotations.
function eigen(S) {
  const n = S.length, A = S.map((row) => Float64Array.from(row)), V = range(n).map((i) => Float64Array.from(range(n), (j) => Number(i === j)));
  const turn = (x, y, c, s) => { for (let k = 0; k < n; k++) { const a = x[k], b = y[k]; x[k] = c * a - s * b; y[k] = s * a + c * b; } };
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) {
      if (A[i][j] === 0) continue;
      off = Math.max(off, Math.abs(A[i][j]) / (Math.sqrt(Math.abs(A[i][i] * A[j][j])) || Math.max(...A.map(largest))));
      const theta = (A[j][j] - A[i][i]) / (2 * A[i][j]), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
      turn(A[i], A[j], c, s);
      for (const row of A) { const a = row[i], b = row[j]; row[i] = c * a - s * b; row[j] = s * a + c * b; }
      turn(V[i], V[j], c, s);
    }
    if (off < 1e-15) break;
  }
  const order = range(n).sort((a, b) => A[a][a] - A[b][b]);
  return { values: order.map((k) => A[k][k]), vectors: order.map((k) => V[k]) };
}
