// The equations of a mode whose functions are not in the page: the motion with nothing closed and nothing stuck, which is, and the
// forces that hold what is, solved here. Compiled loops call it like any other function; it takes some ten times as long.

const BEYOND = 4e-10;  // as in `linkwright.system.held`
const HOLDS = 1e-12;  // a force that any slot holds, LEAST there
// A module that hands an imported function of two addresses on: a table of functions takes no others.
const HANDED_ON = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 2, 127, 127, 0, 2, 7, 1, 1, 101, 1, 102, 0, 0, 7, 5, 1, 1, 102, 0, 0);

// As `linkwright.system.saddle`: [M J^T; J -eps], regularised, and the proximal iterations that take the error out again.
const COMPLIANT = 1e-8, PROXIMAL_ITERATIONS = 2;
class Regularised {
  constructor(M, J, weights) {
    const n = M.length, m = J.length;
    this.eps = weights.map((w) => COMPLIANT * w);
    this.factors = new Factors(range(n + m).map((i) => Float64Array.from(range(n + m), (j) => (i < n ? (j < n ? M[i][j] : J[j - n][i]) : j < n ? J[i - n][j] : i === j ? -this.eps[i - n] : 0))));
  }
  of(f, gamma) {
    const n = f.length, right = Float64Array.from([...f, ...(gamma ?? this.eps.map(() => 0))]);
    let x = this.factors.solve(right);
    for (let k = 0; k < PROXIMAL_ITERATIONS; k++) x = this.factors.solve(right.map((b, i) => (i < n ? b : b - this.eps[i - n] * x[i])));
    return [x.slice(0, n), x.slice(n)];
  }
}

class Computed extends Form {
  constructor(simulation, base, mode) {
    const { machine, data } = simulation, own = { closed: mode.closed, stuck: mode.stuck, full: mode.full, smooth: mode.smooth };
    super(machine, { ...base.data, ...own, regular: true });
    const id = keyOf(own), { code } = this, ins = code.tables[base.names.motion][0], n = data.nq + data.nv + data.turns.length + 1;
    Object.assign(this, { simulation, base, root: this, active: this, bounces: simulation.dry || new Bounces(simulation, 0) });
    this.names = Object.fromEntries(["motion", "projection", "events"].map((name) => [name, `${name} ${id}`]));
    const sizes = { motion: [n, data.rows.length, 1], projection: [n], events: [base.watched + base.count] };
    const answer = { motion: (...x) => { const { ydot, health } = this.active.solution(...x); return [ydot, [], health]; }, projection: (...x) => [this.active.projected(...x)], events: (...x) => [this.active.watchedAt(...x)] };
    const wanted = data.functions[base.names.motion].ins, at = ["t", "y", `flags${base.data.suffix}`].map((name) => wanted.indexOf(name)), room = (name, count) => code.inputs[name]?.count ?? count;
    for (const [kind, name] of Object.entries(this.names)) {
      const handed = new WebAssembly.Instance(new WebAssembly.Module(HANDED_ON), { e: { f: (given, told) => {
        const places = new Uint32Array(code.memory.buffer, given, wanted.length), read = (k, count) => new Float64Array(code.memory.buffer, places[at[k]], count).slice(), [t] = read(0, 1), y = read(1, n), flags = this.count ? [...read(2, room(wanted[at[2]], this.count))] : [];
        const found = answer[kind](t, y, flags);
        this.active.put(t, y, flags);  // as the loop has left it
        const out = new Uint32Array(code.memory.buffer, told, found.length);
        found.forEach((values, k) => new Float64Array(code.memory.buffer, out[k], values.length).set(values));
      } } });
      code.slot[name] = code.loops.table.grow(1);
      code.loops.table.set(code.slot[name], handed.exports.f);
      code.tables[name] = [ins, code.pointers(sizes[kind].map((count) => code.room(count)))];
    }
  }
  in(mode, values) { return Object.assign(super.in(mode, values), { base: this.root.base.in(mode, values) }); }
  put(t, y, flags) { this.root.active = this; this.base.put(t, y, flags); }
  get dry() { return this.simulation.dry; }

  // y', and the forces that hold.
  solution(t, y, flags) {
    const { nq, nv } = this.machine, { ydot: free, lam, health } = this.base.motion(t, y, flags), ydot = free.a.slice(), told = health.a.slice(), joints = lam.a.slice(), before = ydot.slice(nq, nq + nv);
    const held = this.dry ? this.dry.inMode(t, y, this.mode, this.responses(t, y)) : this.pressed(t, y, before, joints);
    ydot.set(held.vdot, nq);
    ydot[ydot.length - 1] += dot(y.subarray(nq, nq + nv), times(held.M, held.vdot.map((a, j) => a - before[j])));  // the work follows the energy
    return { ...held, ydot, health: told };
  }
  // The rank of the rows, where all of them are closed: by the errors of a step those that say the same twice seem to differ.
  rankAt(t, y) { return (this.known ??= (({ M, J }) => new Response(M, J, this.machine.scale).rows.rank)(this.rows(t, y))); }
  // Dependent rows of dry friction are regularised, as they are in compiled functions.
  responses(t, y) {
    const rank = this.rankAt(t, y);
    return (M, J, scale, weights) => (this.dry && rank < J.length ? new Regularised(M, J, weights ?? J.map((row) => this.dry.complianceOf(M, row))) : new Response(M, J, scale, null, rank));
  }
  // Without friction: the forces with which the closed gaps do not accelerate.
  pressed(t, y, free, lam) {
    const { bounces: b, closed, machine: { data } } = this, { G, second } = b.gaps(t, y, free), { M, J } = b.terms(t, y), before = new Float64Array(J.length), out = new Float64Array(J.length + closed.length);
    this.base.data.rows.forEach((row, i) => { before[row] = lam[i]; });
    const { vdot, p } = b.leastForces(M, J, closed.map((k) => G[k]), free, before, closed.map((k) => second[k]), this.rankAt(t, y));
    out.set(p.map((x) => -x), data.rows.length);
    return { vdot, lam: out, M };
  }
  motion(t, y, flags) { const { ydot } = this.solution(t, y, flags); return { ydot: { a: ydot } }; }
  events(t, y, flags) { return this.base.events(t, y, flags); }
  answer(t, y) { return this.solution(t, y, this.conditions(t, y)); }

  // As `Flow.projection`: Newton's method in the metric of masses, with the rows at y.
  projected(t, y) {
    const { nq, nv, scale } = this.machine, m = this.machine, out = y.slice(), { M, J } = this.rows(t, y), response = this.responses(t, y)(M, J, scale), on = (right) => response.of(new Float64Array(nv), right.map((x) => -x))[0];
    for (let round = 0; round < 2; round++) out.set(m.retract(out.slice(0, nq), on(this.residuals(t, out))), 0);
    for (let round = 0; round < 2; round++) {
      const { J: now, nu } = this.rows(t, out), v = out.slice(nq, nq + nv);
      on(now.map((row, k) => dot(row, v) - nu[k])).forEach((x, j) => { out[nq + j] += x; });
    }
    m.turns = y.slice(nq + nv, y.length - 1);
    m.give(out.subarray(0, nq), t);
    out.set(m.code.call("turned").turns.a.subarray(0, m.turns.length), nq + nv);
    return out;
  }
  // Of joints, of what is closed and of what sticks.
  rows(t, y) {
    if (this.dry) { const e = this.dry.every(t, y), rows = this.dry.rowsIn(this.mode); return { M: e.M, J: rows.map((i) => e.J[i]), nu: rows.map((i) => e.nu[i]) }; }
    const { M, J, nu } = this.bounces.terms(t, y), { nq, nv } = this.machine, { G, rate } = this.bounces.gaps(t, y), v = y.subarray(nq, nq + nv), own = this.closed.map((k) => G[k]);
    return { M, J: [...J, ...own], nu: [...nu, ...this.closed.map((k, i) => dot(own[i], v) - rate[k])] };
  }
  residuals(t, y) {
    const { machine: m, bounces, closed, data } = this, { nq, nv } = m;
    m.turns = y.slice(nq + nv, y.length - 1);
    const Phi = m.rowsAt(y.slice(0, nq), t)[0], gap = bounces.impacts.length ? bounces.gaps(t, y).gap : [], places = this.dry ? this.dry.numbers(t, y)[1] : [];
    const stuck = data.stuck.flatMap((k) => range(this.dry.slots[k].size).map(() => (this.dry.slots[k].coordinate ? places[k] - this.mode.anchors[k] : 0)));
    return Float64Array.from([...Phi.map((x, k) => (m.data.rows[k].rate ? 0 : x)), ...closed.map((k) => gap[k]), ...stuck]);
  }

  // As `Bounces.watched`: gaps; of closed contacts their force; what slots that stick can bear, and whether others still move.
  watchedAt(t, y, flags) {
    this.base.put(t, y, flags);
    const g = this.code.call(this.base.names.events).g.a.slice(), { lam, F, N } = this.solution(t, y, flags), count = this.bounces.impacts.length, first = this.machine.data.rows.length;
    this.closed.forEach((k, i) => { g[k] = -lam[first + (this.dry ? k : i)]; g[count + k] = g[2 * count + k] = 1; });
    if (this.dry) this.dry.margins(t, y, this.mode, F, N).forEach((x, k) => { g[LEVELS * count + k] = x; });
    return g;
  }
}
