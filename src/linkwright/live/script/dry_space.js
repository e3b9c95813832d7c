// A machine seen by its contacts and slots at one state, and in a mode; as `linkwright.analyses.machine.contact_space` has it. Numbers of
// rows are those of all: of joints, of gaps, of the speeds of slots.

const FRICTION_ROUNDS = 30, DRY_NONE = 1e-12;

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
    this.own = Float64Array.from(this.G, (g) => bounces.complianceOf(e.M, g));
    this.ownBase = e.J.slice(0, base).map((g) => bounces.complianceOf(e.M, g));
    this.sizes = this.G.map((g) => norm(product(g, scale)));
    this.speed = largest(ratio(v, scale));
    [this.numbers, this.places] = bounces.numbers(t, y);
    this.under(new Float64Array(nv));
  }
  // Contacts that may have forces: of the others nothing moves the gaps, as joints and drivers hold both bodies.
  movable() { return this.touching.filter((_, i) => this.W[i][i] > IMMOBILE * this.own[i]); }
  // Of a slot.
  rowsOf(k) { return range(this.bounces.slots[k].size, this.touching.length + this.bounces.at[k]); }
  // Accelerations and multipliers without forces of contacts and slots, under further forces.
  under(more) {
    const { e, base, G, gamma } = this, [a, lam] = this.response.of(plus(e.force, more), e.gamma.slice(0, base));
    this.lam0 = lam;
    this.r0 = Float64Array.from(G, (g, k) => dot(g, a) - gamma[k]);
    this.none = DRY_NONE * largest(this.e.force.map((x, j) => x / Math.sqrt(this.e.M[j][j] > 0 ? this.e.M[j][j] : this.bounces.data.typical_mass)));
    this.largest = Math.max(largest(this.r0.map((x, k) => x / Math.sqrt(this.own[k]))), this.none) || 1;
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
    const find = () => dryFind({ r0: this.r0, W: this.W, own: this.own, contacts: range(this.touching.length), slots: [...rubbing.values()], loads: (x) => { const N = this.loads(x); return Float64Array.from(own, (k) => N[k]); }, reactions: { lam0: this.lam0, L: this.L, own: this.ownBase }, none: this.none }, forced, spent);
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
