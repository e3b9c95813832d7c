// A machine seen by its contacts and slots at one state, and in a mode; as `linkwright.analyses.machine.contact_space` has it. Numbers of
// rows are those of all: of joints, of gaps, of the speeds of slots.

const FRICTION_ROUNDS = 30, FREE_RANK = 1e-8;

// M a + J^T lam = f, J a = gamma, whatever the rows are: a is unique, lam the least of many, by weights of rows if there are some.
class Response {
  constructor(M, J, scale, weights = null) {
    const n = scale.length, S = J.map((row) => row.map((x, j) => x * scale[j]));
    this.lengths = S.map((row) => norm(row) || 1);
    this.rows = new Rows(S.map((row, k) => row.map((x) => x / this.lengths[k])), n, FREE_RANK);
    const shared = weights && this.rows.rank < J.length;
    this.by = shared ? weights.map((w) => Math.sqrt(w)) : this.lengths;
    this.multipliers = shared ? new Rows(S.map((row, k) => row.map((x) => x / this.by[k])), n, FREE_RANK) : this.rows;
    const Z = this.rows.free.map((z) => z.map((x, j) => x * scale[j]));
    Object.assign(this, { M, scale, Z, reduced: Z.map((a) => { const Ma = times(M, a); return Float64Array.from(Z, (c) => dot(c, Ma)); }) });
  }
  of(f, gamma) {
    const { M, Z, scale, rows, lengths } = this;
    let a = gamma ? rows.least(gamma.map((x, k) => x / lengths[k])).map((x, j) => x * scale[j]) : new Float64Array(scale.length);
    const left = plus(f, times(M, a), -1);
    if (Z.length) { const y = symmetricSolve(this.reduced, Float64Array.from(Z, (z) => dot(z, left))); Z.forEach((z, k) => { a = plus(a, z, y[k]); }); }
    const effort = plus(f, times(M, a), -1).map((x, j) => x * scale[j]);
    return [a, this.multipliers.leastT(effort).map((x, k) => x / this.by[k])];
  }
}

// Rows: the gaps of `touching` contacts, then the speeds of all slots.
class DrySpace {
  constructor(bounces, t, y, touching) {
    const { machine: m, data } = bounces, { nq, nv, scale } = m, base = data.rows.length, e = bounces.every(t, y), v = y.subarray(nq, nq + nv);
    Object.assign(this, { bounces, t, y, touching, e, base });
    this.rows = [...touching.map((k) => base + k), ...range(e.J.length - base - data.impacts.length, base + data.impacts.length)];
    this.G = this.rows.map((i) => e.J[i]);
    this.gamma = Float64Array.from(this.rows, (i) => e.gamma[i]);
    this.rate = Float64Array.from(this.rows, (i, k) => dot(this.G[k], v) - e.nu[i]);
    this.response = new Response(e.M, e.J.slice(0, base), scale);
    const pairs = this.G.map((g) => this.response.of(g, null));
    this.L = pairs.map(([, lam]) => lam);
    this.W = this.G.map((g) => Float64Array.from(pairs, ([a]) => dot(g, a)));
    this.own = Float64Array.from(this.G, (g) => bounces.yieldOf(e.M, g));
    this.ownBase = e.J.slice(0, base).map((g) => bounces.yieldOf(e.M, g));
    this.sizes = this.G.map((g) => norm(g.map((x, j) => x * scale[j])));
    this.speed = largest(v.map((x, j) => x / scale[j]));
    [this.numbers, this.places] = bounces.numbers(t, y);
    this.under(new Float64Array(nv));
  }
  // Of a slot.
  rowsOf(k) { return range(this.bounces.slots[k].size, this.touching.length + this.bounces.at[k]); }
  // Accelerations and multipliers without forces of contacts and slots, under further forces.
  under(more) {
    const { e, base, G, gamma } = this, [a, lam] = this.response.of(plus(e.force, more), e.gamma.slice(0, base));
    this.lam0 = lam;
    this.r0 = Float64Array.from(G, (g, k) => dot(g, a) - gamma[k]);
    this.largest = largest(this.r0.map((x, k) => x / Math.sqrt(this.own[k]))) || 1;
  }
  joints(x) { return x.reduce((s, f, i) => (f ? plus(s, this.L[i], f) : s), this.lam0); }
  // N of all slots.
  loads(x) {
    const lam = new Float64Array(this.e.J.length);
    lam.set(this.joints(x));
    this.rows.forEach((i, k) => { lam[i] = -x[k]; });
    return this.bounces.loads(this.t, this.y, lam);
  }
  // The modes; with friction by the smooth law where there is some.
  solved(rubbing, smooth, forced, spent) {
    const { bounces, t, y } = this, own = [...rubbing.keys()];
    const find = () => dryFind({ r0: this.r0, W: this.W, own: this.own, contacts: range(this.touching.length), slots: [...rubbing.values()], loads: (x) => { const N = this.loads(x); return Float64Array.from(own, (k) => N[k]); }, reactions: { lam0: this.lam0, L: this.L, own: this.ownBase } }, forced, spent);
    const isDry = bounces.isDry(smooth);
    let out = find(), last = new Float64Array(bounces.machine.nv);
    for (let round = 0; isDry.some((x) => !x) && round < FRICTION_ROUNDS; round++) {
      const more = bounces.smooth(t, y, this.joints(out.x), isDry);
      if (largest(plus(more, last, -1)) <= 1e-12 * largest(more)) break;
      last = more;
      this.under(more);
      out = find();
    }
    return out;
  }
}
