// A simulation: from event to event by the compiled loop of the integrator, switched laws as flags. As
// `linkwright.analyses.dynamics.run` and `switching` have it.

const PATIENCE = 400, CHATTER = 60, CHATTER_SPAN = 1e-7, FIRED = 2n, MOST_MS = 8000;

class Simulation {
  constructor(data, code) {
    this.machine = new Machine(data, code);
    Object.assign(this, { data, code, n: data.n, R: data.registers });
    const { n } = data, rows = data.t.length, m = data.switches.length, whole = (x) => code.holding(x, BigInt64Array), events = data.count[this.R.EVENT_ROWS];
    Object.assign(this, {
      none: code.room(1), y: code.room(n), tol: code.holding(data.tol), real: code.holding(data.real), count: whole(data.count), coef: code.holding(data.coef),
      work: code.room(data.work), pivots: whole(new Array(data.pivots).fill(0)), wanted: code.room(rows), shown_t: code.room(rows), shown_y: code.room(rows * n),
      G: code.room(data.values), spare: code.room(data.spare), signs: whole(new Array(2 * Math.max(m, 1)).fill(0)), directions: whole(new Array(Math.max(m, 1)).fill(0)),
      left: whole(new Array(Math.max(m, 1)).fill(0)), event_t: code.room(events), event_k: whole(new Array(events).fill(0)), event_y: code.room(events * n),
    });
    const some = (name) => (code.has(name) ? code.tables[name] : [code.tables.motion[0], this.none]);
    this.args = ["motion", "", "projection", "events", code.tables.motion[0], code.tables.motion[1], this.none, some("projection")[1], some("events")[1], BigInt(n),
      this.y, this.tol, this.real, this.count, this.coef, this.work, this.pivots, this.wanted, this.shown_t, this.shown_y, this.none, this.none, this.none,
      this.G, this.spare, this.signs, this.directions, this.left, this.event_t, this.event_k, this.event_y];
    this.kinks = data.switches.map((s) => s.kink);
  }

  // -- functions of the state ------------------------------------------------------------------------------------------
  put(t, y, flags) {
    const { inputs } = this.code;
    inputs.t.a[0] = t;
    inputs.y.a.set(y);
    inputs.b.a.set(this.machine.b);
    if (flags.length) inputs.flags.a.set(flags);
    if (inputs.gains.count) inputs.gains.a.set(this.data.tuning);
  }
  motion(t, y, flags) { this.put(t, y, flags); return this.code.call("motion"); }
  events(t, y, flags) { this.put(t, y, flags); return this.code.call("events").g.a.slice(); }
  // The functions of switches now and h later, by a step of order two.
  ahead(t, y, flags, h) {
    const now = this.events(t, y, flags), first = this.motion(t, y, flags).ydot.a.slice();
    const second = this.motion(t + h, y.map((x, k) => x + h * first[k]), flags).ydot.a.slice();
    return [now, this.events(t + h, y.map((x, k) => x + 0.5 * h * (first[k] + second[k])), flags)];
  }

  // -- switches --------------------------------------------------------------------------------------------------------
  after(t, y, flags, fired = -1) {
    if (!flags.length) return flags;
    const { kinks, moment } = this;
    let out = flags.map((x, k) => (kinks[k] ? 0 : k === fired ? 1 - x : x)), now, later;
    for (let round = 0; round < 3; round++) {
      [now, later] = this.ahead(t, y, out, moment);
      const fresh = out.map((_, k) => (kinks[k] ? 0 : Number((Math.abs(now[k]) <= 2 * Math.abs(later[k] - now[k]) ? later[k] : now[k]) > 0)));
      if (fresh.every((x, k) => x === out[k])) break;
      out = fresh;
    }
    if (!kinks.some(Boolean)) return out;
    const quiet = this.quiet(t, y, out, now, later);
    return out.map((x, k) => (quiet[k] ? 1 : x));
  }
  // Kinks that are zero, and stay so a moment, but for motions too small to count.
  quiet(t, y, flags, now, later) {
    const { nq, nv, scale } = this.machine, response = new Float64Array(now.length);
    for (let look = 0; look < 4; look++) {
      const random = chance(look + 1), d = scale.map((x) => (random() < 0.5 ? -x : x)), near = y.slice();
      near.set(this.machine.retract(y.slice(0, nq), d.map((x) => 1e-12 * x)));
      for (let j = 0; j < nv; j++) near[nq + j] += (1e-15 / this.moment) * d[j];
      this.events(t, near, flags).forEach((x, k) => { response[k] = Math.max(response[k], Math.abs(x - now[k])); });
    }
    return this.kinks.map((is, k) => is && Math.max(Math.abs(now[k]), Math.abs(later[k])) <= response[k]);
  }
  mistaken(t, y, flags, fired, lasted) {
    if (!flags.length) return [];
    const [now, later] = this.ahead(t, y, flags, this.moment);
    const wrong = flags.map((x, k) => !this.kinks[k] && Math.abs(now[k]) > 2 * Math.abs(later[k] - now[k]) && now[k] > 0 !== x > 0.5);
    if (fired >= 0 && !this.kinks[fired]) {
      const before = this.ahead(t, y, flags, -Math.min(this.moment, 0.1 * lasted))[1][fired];
      wrong[fired] = Math.abs(before) > 10 * Math.abs(now[fired]) && before > 0 !== flags[fired] > 0.5;
    }
    return wrong;
  }

  // -- the run ---------------------------------------------------------------------------------------------------------
  // Consistent positions and velocities.
  begin() {
    const m = this.machine, t0 = this.data.t[0];
    m.restart();
    const q = assembled(m, t0), v = startVelocity(m, q, t0);
    m.settle(q, t0);
    return Float64Array.from([...q, ...v, ...m.turns, 0]);
  }

  solve() {
    const { data, R, real, count, n } = this, t = data.t, end = t.at(-1), span = end - t[0], clock = performance.now();
    const y0 = this.begin();
    this.moment = span ? 1e-6 * span : 1e-9;
    this.tolerances(y0, t[0]);
    let flags = this.after(t[0], y0, new Array(data.switches.length).fill(0)), now = t[0], y = y0, recent = [], switched = 0, steps = 0, evaluations = 0;
    this.wanted.a.set(t.slice(1));
    this.shown_y.a.set(y0);
    this.shown_t.a[0] = t[0];
    let rows = 1;
    count.a[R.STEPS] = count.a[R.NFEV] = count.a[R.REJECTED] = 0n;
    this.restart(now, y, []);
    this.setFlags(flags);
    while (now < end) {
      let fired = [...this.signs.a.slice(0, flags.length)].map((s, k) => (s === FIRED ? k : -1)).filter((k) => k >= 0), status, undecided = "";
      for (let round = 0; ; round++) {
        status = this.run(end, rows);
        const at = real.a[R.T], state = this.y.a.slice(), terminal = status === R.EVENT ? Number(this.event_k.a[Number(count.a[R.EVENT_WRITTEN]) - 1]) : -1;
        const wrong = this.mistaken(at, state, flags, terminal, at - now);
        if (!wrong.some(Boolean)) break;
        if (round === 5) { undecided = data.switches[wrong.indexOf(true)].element; break; }
        flags = flags.map((x, k) => (wrong[k] ? 1 - x : x));
        this.setFlags(flags);
        this.restart(now, y, fired);
      }
      if (undecided) throw this.chatters(now, undecided);
      now = real.a[R.T];
      y = this.y.a.slice();
      rows = Number(count.a[R.WRITTEN]);
      if (status === R.EVENT) {
        const k = Number(this.event_k.a[Number(count.a[R.EVENT_WRITTEN]) - 1]);
        switched++;
        flags = this.after(now, y, flags, k);
        recent = [...recent.filter((x) => now - x < CHATTER_SPAN * span), now];
        if (recent.length > CHATTER) throw this.chatters(now, data.switches[k].element);
        this.setFlags(flags);
        this.restart(now, y, [k]);
      } else if (status < 0) throw this.failed(now, status);
      if (performance.now() - clock > MOST_MS) throw new Trouble([], `the simulation came to t = ${short(now)} in ${MOST_MS / 1000} s and was given up`, "the machine is stiff or very fast for these values: a shorter time, or lw.dynamics, which changes its method there");
    }
    steps = Number(count.a[R.STEPS]);
    evaluations = Number(count.a[R.NFEV]);
    return { ...this.arrays(rows), steps, evaluations, switched };
  }

  chatters(t, element) { return new Trouble([element], `the law of ${element} switches to and fro at t = ${short(t)}: the machine makes no way`, "each form of the law leads to the other: make the change gradual"); }
  failed(t, status) {
    const why = { [-1]: "the step became too small", [-2]: "numbers were no longer finite", [-5]: "the joints do not close" }[status] ?? "no step succeeds";
    return new Trouble([], `the simulation cannot go on at t = ${short(t)}: ${why}`, "a dead point, or forces that grow without bound: end before, or change a length a little");
  }

  // Where the work rules steps, too, its tolerance is of the machine's energies.
  tolerances(y, t) {
    const { data, n, machine: m } = this;
    this.tol.a.set(data.tol);
    if (!data.work_rules) return;
    const kinetic = this.terms(t, y).energy.a[0], [mass] = m.estimate.mass, weight = mass * Math.hypot(...m.estimate.gravity);
    const size = kinetic + weight * m.length || mass * m.length ** 2;
    this.tol.a[n - 1] = Math.max(data.rtol * size, data.atol);
  }
  setFlags(flags) { if (flags.length) this.code.inputs.flags.a.set(flags); }
  restart(t, y, fired) {
    const { R, real, count } = this;
    this.y.a.set(y);
    real.a[R.T] = real.a[R.T_OLD] = t;
    real.a[R.H] = 0;
    count.a[R.STARTED] = count.a[R.ENDED] = 0n;
    this.signs.a.fill(0n);
    for (const k of fired) this.signs.a[k] = FIRED;
  }
  // -- pulled by hand ----------------------------------------------------------------------------------------------------
  stateAt(t, y) {
    this.moment = 1e-6 * (this.data.t.at(-1) - this.data.t[0]);
    this.tol.a.set(this.data.tol);
    return { t, y, flags: this.after(t, y, new Array(this.data.switches.length).fill(0)) };
  }
  // On by h, through events; nothing is put out.
  advance(state, h) {
    const { R, real } = this, end = state.t + h;
    let fired = [];
    for (let round = 0; state.t < end && round < 200; round++) {
      this.restart(state.t, state.y, fired);
      this.setFlags(state.flags);
      const status = this.run(end, 1, 0);
      if (status < 0) throw this.failed(real.a[R.T], status);
      state.t = real.a[R.T];
      state.y = this.y.a.slice();
      if (status === R.EVENT) {
        const k = Number(this.event_k.a[Number(this.count.a[R.EVENT_WRITTEN]) - 1]);
        state.flags = this.after(state.t, state.y, state.flags, k);
        fired = [k];
      }
    }
  }
  placeOf({ y }, body, spot) {
    const [at] = this.data.bodies[body];
    return turnedAhead(this.data, y, at, spot).map((x, i) => x + y[at + i]);
  }
  // The velocity of a spot of a body, in ground axes.
  speedOf({ y }, body, spot) {
    const { data } = this, [at, av] = data.bodies[body], v = y.subarray(data.nq + av), w = data.dimension;
    if (w === 2) { const [rx, ry] = turnedAhead(data, y, at, spot); return [v[0] - ry * v[2], v[1] + rx * v[2]]; }
    const turned = turnedAhead(data, y, at, cross3([v[3], v[4], v[5]], spot));
    return [0, 1, 2].map((i) => v[i] + turned[i]);
  }
  // The velocities after an impulse on a spot of a body that changes the velocity of the spot by dv, as far as joints let it: what
  // a spring does in a moment, whatever the masses behind it are.
  kick(state, body, spot, dv) {
    const { data, machine: m } = this, { nq, nv, scale } = m, [at, av] = data.bodies[body], { y } = state, n = data.dimension, P = zeros(n, nv);
    for (let i = 0; i < n; i++) P[i][av + i] = 1;
    if (n === 2) { const [rx, ry] = turnedAhead(data, y, at, spot); P[0][av + 2] = -ry; P[1][av + 2] = rx; }
    else for (let k = 0; k < 3; k++) turnedAhead(data, y, at, cross3([0, 1, 2].map((i) => Number(i === k)), spot)).forEach((x, i) => { P[i][av + 3 + k] = x; });
    const terms = this.terms(state.t, y), M = zeros(nv, nv), S = zeros(data.rows.length, nv);
    data.M_pattern[0].forEach((i, k) => { M[i][data.M_pattern[1][k]] = terms.M.a[k]; });
    data.pattern[0].forEach((i, k) => { const j = data.pattern[1][k]; S[i][j] = terms.Phi_v.a[k] * scale[j]; });
    const unit = S.map((row) => { const l = Math.sqrt(dot(row, row)) || 1; return row.map((x) => x / l); });
    const Z = new Rows(unit, nv, 1e-8).free.map((z) => z.map((x, j) => x * scale[j]));
    if (!Z.length) return;
    const reduced = Z.map((a) => { const Ma = times(M, a); return Float64Array.from(Z, (c) => dot(c, Ma)); });
    const G = P.map((row) => symmetricSolve(reduced, Float64Array.from(Z, (z) => dot(z, row))));  // of a unit impulse, each way
    const answer = P.map((row) => Float64Array.from(G, (g) => Z.reduce((s, z, k) => s + dot(row, z) * g[k], 0)));
    const F = new Rows(answer, n, 1e-4).least(Float64Array.from(dv)), out = y.slice();
    Z.forEach((z, k) => { const u = G.reduce((s, g, i) => s + F[i] * g[k], 0); for (let j = 0; j < nv; j++) out[nq + j] += z[j] * u; });
    state.y = out;
  }

  // Up to so many steps, to the end or to an event; output goes on after `rows`, of as many times as are wanted.
  run(end, rows, wanted = this.data.t.length - 1) {
    const { R, real, count, data, code } = this;
    this.put(real.a[R.T], this.y.a, data.switches.length ? code.inputs.flags.a.slice() : []);
    real.a[R.T_END] = end;
    real.a[R.SPAN] = end - real.a[R.T];
    real.a[R.T_SHOWN] = real.a[R.T];
    count.a[R.ENDED] = 0n;
    count.a[R.NEXT] = BigInt(rows - 1);
    count.a[R.WANTED] = BigInt(wanted);
    count.a[R.ROWS] = BigInt(data.t.length);
    count.a[R.WRITTEN] = BigInt(rows);
    count.a[R.EVENT_WRITTEN] = 0n;
    this.left.a.fill(1n);
    let left = PATIENCE, status;
    do {
      const before = count.a[R.STEPS];
      count.a[R.BUDGET] = BigInt(left);
      status = Number(code.loop("run", this.args));
      left -= Number(count.a[R.STEPS] - before);
      if (status === R.FULL) count.a[R.EVENT_WRITTEN] = 0n;
    } while (status === R.FULL || (status === R.FINE && left > 0));
    return status;
  }

  // -- output ------------------------------------------------------------------------------------------------------------
  terms(t, y) {
    const { nq, nv } = this.machine;
    return termsAt(this.machine, t, y.subarray(0, nq), y.subarray(nq, nq + nv), y.slice(nq + nv, y.length - 1));
  }
  arrays(rows) { return this.over(this.shown_t.a.slice(0, rows), Array.from({ length: rows }, (_, k) => this.shown_y.a.slice(k * this.n, (k + 1) * this.n))); }
  // Accelerations, multipliers and what follows from them, at these times and states.
  over(moments, states) {
    const { data, n, machine: m } = this, { nq, nv } = m, none = new Array(data.switches.length).fill(0), out = { t: moments, q: [], v: [], a: [], turns: [], energy: [], reactions: [], points: [] };
    for (let k = 0; k < moments.length; k++) {
      const t = moments[k], y = states[k];
      const flags = none.length ? [...this.events(t, y, none)].map((g) => Number(g > 0)) : [];
      const { ydot, lam } = this.motion(t, y, flags), a = ydot.a.slice(nq, nq + nv), own = lam.a.slice();
      out.q.push(y.slice(0, nq));
      out.v.push(y.slice(nq, nq + nv));
      out.turns.push(y.slice(nq + nv, n - 1));
      out.a.push(a);
      tellForces(m, out, { t, q: out.q[k], v: out.v[k], turns: out.turns[k], work: y[n - 1] }, a, (terms) => {
        if (data.regular) return smallest(m, terms, a);
        const all = new Float64Array(data.rows.length);
        data.flow_rows.forEach((row, i) => { all[row] = own[i]; });
        return all;
      });
    }
    return out;
  }
}
