// A simulation: from event to event by the compiled loop of the integrator. As `linkwright.analyses.dynamics.run` has it.

const SHORTER = [1, 0.7, 0.5];  // of the tolerances: a run in which a step ends where motions may branch is made again
const CHATTER = 60, CHATTER_SPAN = 1e-7, MOST_MS = 8000, DEPENDENT = 2e-3;

// A machine in which nothing strikes.
const NO_IMPACTS = { held: [], idle: [], events: [], mode: "", key: ";;;", after: (t, y) => [y, Infinity], check: (t, y) => y };
const NOTHING_STUCK = { stuck: [], full: [], smooth: [] };

class Simulation {
  constructor(data, code, machine = new Machine(data, code)) {
    const { n } = data, rows = data.t.length;
    this.machine = machine;
    Object.assign(this, { data, code, n, R: data.registers, forms: data.modes.map((mode) => new Form(this.machine, mode)) });
    this.shared = { wanted: code.room(rows), shown_t: code.room(rows), shown_y: code.room(rows * n) };
    this.explicit = new Engine(this, "run", data.engine, this.shared);
    this.stiff = data.stiff && new Engine(this, "stiff", data.stiff, this.shared);
    this.engines = [this.explicit, this.stiff].filter(Boolean);
    this.byMode = new Map(this.forms.map((form) => [keyOf(form.data), form]));
    this.dry = data.dry && new DryBounces(this, 0);
    this.later = data.later && laterOf(this);
    this.chart = data.joint ? new JointChart(this.machine) : { own: (y) => y, bodies: (y) => y };
  }
  formAt(key) { return this.byMode.get(key); }
  // The equations with contacts closed, and slots that stick, as they are.
  formOf(bounces) {
    const found = this.byMode.get(bounces.key) ?? this.computed(bounces);
    if (found) return bounces.now ? found.in(bounces.now, bounces.values) : found;
    const names = bounces.held.map((k) => this.data.impacts[k].name), stuck = (bounces.now?.stuck ?? []).map((k) => this.data.slots[k].name), said = [names.length ? `${names.join(", ")} closed` : "", stuck.length ? `${stuck.join(", ")} stuck` : ""].filter(Boolean).join(" and ");
    throw new Trouble([...new Set([...names, ...stuck])], `this page has no equations of the machine with ${said || "all of it moving"}`, "lw.dynamics has them");
  }
  // Those of a mode that the page has no functions of.
  computed({ held: closed, key, now: { stuck, full, smooth } = NOTHING_STUCK }) {
    const base = this.byMode.get(keyOf({ closed: [], stuck: [], full: [], smooth }));
    if (!base || this.data.joint) return null;
    const made = new Computed(this, base, { closed, stuck, full, smooth });
    this.byMode.set(key, made);
    return made;
  }
  bouncesOver(span) { return this.data.dry ? new DryBounces(this, span) : this.data.impacts.length ? new Bounces(this, span) : NO_IMPACTS; }
  // That of a moment which is shown.
  formShown(t, y) {
    if (!this.dry) return this.forms[0];
    const bounces = this.bouncesOver(0);
    bounces.after(t, y);
    return this.formOf(bounces);
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
  // What changes in the course of a run, from (t, y) on: contacts that are due close, laws have the form they have there.
  courseAt(t, y, span) {
    const c = { t, y, span, moment: span ? 1e-6 * span : 1e-9, recent: [], switched: 0, engine: this.explicit, bounces: this.bouncesOver(span) };
    [c.y] = c.bounces.after(t, y);
    c.bounces.started = true;
    c.form = this.formOf(c.bounces);
    c.flags = c.form.after(t, c.y, c.form.none, c.moment);
    c.engine.use(c.form);
    c.engine.restart(t, c.y);
    return c;
  }
  solve() {
    let first = null;
    for (const part of SHORTER) {
      const found = this.solved(part);
      if (!found.branches) return found;
      first ??= found.branches;
    }
    throw first;
  }
  // With this part of the tolerances: what is shown, or where motions may branch.
  solved(part) {
    const { data, shared } = this, t = data.t, end = t.at(-1), y0 = this.begin();
    for (const own of [this, this.later].filter(Boolean)) own.ready(y0, t[0], part);
    const x0 = this.chart.own(y0), c = this.courseAt(t[0], x0, end - t[0]);
    shared.shown_y.a.set(x0);
    shared.shown_t.a[0] = t[0];
    const run = { forms: [c.form], stiffness: (this.stiff || this.later) && new Stiffness(this, end), until: performance.now() + MOST_MS }, wrong = this.goOn(c, end, run);
    if (wrong) return { branches: wrong };
    const engines = [...this.engines, ...(this.later?.engines ?? [])], [steps, evaluations] = ["steps", "evaluations"].map((kind) => engines.reduce((sum, engine) => sum + engine[kind], 0));
    return { ...(run.first ? shownOfBoth(this, run) : this.arrays(run.forms)), steps, evaluations, method: run.method, switched: c.switched, events: c.bounces.events.sort(([t, a], [u, b]) => t - u || (a < b ? -1 : 1)) };
  }
  ready(y0, t0, part) {
    this.tolerances(y0, t0, part);
    for (const engine of this.engines) engine.reset();
    this.shared.wanted.a.set(this.data.t.slice(1));
  }
  // To the end; where motions branch, if they do. The forms in which what is shown is computed go into the run.
  goOn(c, end, run) {
    const { R, data } = this, { forms, stiffness } = run;
    while (c.t < end) {
      const begin = c.t, { status, rows, steps } = this.stretch(c, end, forms.length);
      while (forms.length < rows) forms.push(c.form);
      [c.t, c.y] = [c.engine.t, c.engine.y.a.slice()];
      if (status === R.EVENT) this.happened(c, c.engine.terminal);
      else if (status < 0) {
        const wrong = this.failed(c, c.t, status);
        if (wrong.branches) return wrong;
        throw wrong;
      } else if (stiffness && c.t < end) {
        const stiff = stiffness.after(c, steps, begin);
        if (stiff && this.later) return goOnInJoints(this, c, end, run);
        this.change(c, stiff ? this.stiff : this.explicit);
      }
      hurry();
      if (performance.now() > run.until) throw new Trouble([], `the simulation came to t = ${short(c.t)} in ${MOST_MS / 1000} s and was given up`, "the machine is stiff or very fast for these values: a shorter time, or lw.dynamics, which changes its method there");
    }
    run.method = c.engine === this.stiff ? "radau" : data.method;
    return null;
  }
  // To the next event; where flags turn out wrong from the start, once more with the right ones.
  stretch(c, end, rows, wanted = this.data.t.length - 1) {  // gaps of contacts that touch without pressing are zero but for rounding
    const { engine, form } = c, { fired, steps: before } = engine, { R } = this;
    for (let round = 0; ; round++) {
      const status = engine.run(end, c.flags, rows, wanted, c.bounces.idle), at = engine.t, own = status === R.EVENT ? engine.terminal - form.watched : -1;
      const wrong = form.mistaken(at, engine.y.a.slice(), c.flags, c.moment, own, at - c.t);
      if (!wrong.some(Boolean)) return { status, rows: engine.written, steps: engine.steps - before };
      if (round === 5) throw this.chatters(c.t, form.element(wrong.indexOf(true)));
      c.flags = c.flags.map((x, k) => (wrong[k] ? 1 - x : x));
      engine.restart(c.t, c.y, fired);
    }
  }
  // Go on by another method.
  change(c, engine) {
    if (engine === c.engine) return;
    c.engine = engine;
    engine.use(c.form);
    engine.restart(c.t, c.y);
  }
  // What an event does: a gap closes, a closed contact opens, a law changes its form.
  happened(c, fired) {
    const { t, form, engine, bounces } = c, { mode, held } = bounces, k = fired - form.watched;
    if (k < 0) {
      const [y, flight] = bounces.after(t, c.y, fired), same = y === c.y;
      c.y = y;
      if (this.anew(c, mode, held)) return;
      if (same) return engine.goOn(fired);  // they touch, but for rounding
      c.flags = form.after(t, y, c.flags, c.moment);
      engine.restart(t, y, [fired], Math.min(0.05 * flight, 1e-2 * c.span));
      return;
    }
    c.switched++;
    c.y = form.across(t, c.y, c.flags, c.moment, k);
    c.flags = form.after(t, c.y, c.flags, c.moment, k);
    c.recent = [...c.recent.filter((x) => t - x < CHATTER_SPAN * c.span), t];
    if (c.recent.length > CHATTER) throw this.chatters(t, form.element(k));
    c.y = this.checked(c);
    if (!this.anew(c, mode, held)) engine.restart(t, c.y, [fired]);
  }
  // Where laws have changed they may pull at a contact. It is asked a moment later: here conditions are at their edge.
  checked({ t, y, form, flags, moment, bounces }) {
    if (!form.count || !(bounces.held.length || this.data.slots.length)) return bounces.check(t, y);
    const later = form.moved(t, y, flags, moment), known = bounces.events.length, after = bounces.check(t + moment, later);
    for (const event of bounces.events.slice(known)) event[0] = t;
    return y.map((x, k) => x + (after[k] - later[k]));
  }
  // Where contacts have closed or opened: the integrator begins anew with their equations.
  anew(c, mode, held) {
    if (c.bounces.mode === mode) return false;
    c.form = this.formOf(c.bounces);
    c.flags = c.form.after(c.t, c.y, c.form.none, c.moment);
    c.engine.use(c.form);
    const first = c.form.watched - this.data.slots.length, sliding = this.data.slots.map((_, k) => k).filter((k) => c.bounces.slides(k)).map((k) => first + k);
    c.engine.restart(c.t, c.y, [...held.filter((k) => !c.bounces.held.includes(k)), ...sliding]);
    return true;
  }

  chatters(t, element) { return new Trouble([element], `the law of ${element} changes again and again at t = ${short(t)}: the machine sticks there, or chatters`, "a force that switches with a velocity needs a band around zero (tanh(v/v0)), or end the run at rest: events={...: Watch(quantity, stop=True)}"); }
  failed(c, t, status) {
    const locked = this.locked(c, t);
    if (locked) return locked;
    const why = { [-1]: "the step became too small", [-2]: "numbers were no longer finite", [-5]: "the joints do not close" }[status] ?? "no step succeeds";
    return new Trouble([], `the simulation cannot go on at t = ${short(t)}: ${why}`, "a dead point, or forces that grow without bound: end before, or change a length a little");
  }
  // At a singular position a prescribed motion ends, a free one comes to where motions cross.
  locked({ form, engine }, t) {
    const { rows } = this.data, { regular, rows: held } = form.data;
    if (regular || this.data.joint) return null;
    const y = this.chart.bodies(engine.y.a), { near, elements } = this.machine.nearestDependence(y.subarray(0, this.machine.nq), t, held.filter((k) => k < rows.length), 0.1);
    if (!(near < DEPENDENT)) return null;
    return rows.some((r) => r.driver && elements.includes(r.element))
      ? new Trouble(elements, `the machine locks up at t = ${short(t)}: the prescribed motion cannot go on`, "end the run before, change the lengths, or let a force drive the machine instead of a prescribed motion")
      : Object.assign(new Trouble(elements, `the machine comes to where motions may branch, at t = ${short(t)}`, "method='auto' and constraints='augmented' pass where the motion goes straight on; else end the run before, or change a length a little"), { branches: true });
  }

  // Where the work rules steps, too, its tolerance is of the machine's energies.
  tolerances(y, t, part) {
    const { data, n, machine: m } = this;
    for (const { tol, own } of this.engines) tol.a.set(own.tol.map((x, k) => (k < 2 * n ? part * x : x)));
    if (!data.work_rules) return;
    const kinetic = this.terms(t, y).energy.a[0], [mass] = m.estimate.mass, weight = mass * Math.hypot(...m.estimate.gravity);
    const size = kinetic + weight * m.length || mass * m.length ** 2;
    for (const { tol, own } of this.engines) tol.a[n - 1] = part * own.part * Math.max(data.rtol * size, data.atol);
  }

  // -- pulled by hand ----------------------------------------------------------------------------------------------------
  stateAt(t, y) {
    this.explicit.tol.a.set(this.explicit.own.tol);
    return this.courseAt(t, this.chart.own(y), this.data.t.at(-1) - this.data.t[0]);
  }
  // On by h, through events; nothing is put out.
  advance(c, h) {
    const { R } = this, end = c.t + h;
    c.engine.restart(c.t, c.y);
    for (let round = 0; c.t < end && round < 200; round++) {
      const status = c.engine.run(end, c.flags, 1, 0, c.bounces.idle);
      if (status < 0) throw this.failed(c, c.engine.t, status);
      [c.t, c.y] = [c.engine.t, c.engine.y.a.slice()];
      if (status === R.EVENT) this.happened(c, c.engine.terminal);
    }
  }
  placeOf(state, body, spot) {
    const [at] = this.data.bodies[body], y = this.chart.bodies(state.y);
    return turnedAhead(this.data, y, at, spot).map((x, i) => x + y[at + i]);
  }
  // The velocity of a spot of a body, in ground axes.
  speedOf(state, body, spot) {
    const { data } = this, [at, av] = data.bodies[body], y = this.chart.bodies(state.y), v = y.subarray(data.nq + av), w = data.dimension;
    if (w === 2) { const [rx, ry] = turnedAhead(data, y, at, spot); return [v[0] - ry * v[2], v[1] + rx * v[2]]; }
    const turned = turnedAhead(data, y, at, cross3([v[3], v[4], v[5]], spot));
    return [0, 1, 2].map((i) => v[i] + turned[i]);
  }
  // The velocities after an impulse on a spot of a body that changes the velocity of the spot by dv, as far as joints let it: what
  // a spring does in a moment, whatever the masses behind it are.
  kick(state, body, spot, dv) {
    const { data, machine: m } = this, { nq, nv, scale } = m, [at, av] = data.bodies[body], y = this.chart.bodies(state.y), n = data.dimension, P = zeros(n, nv);
    for (let i = 0; i < n; i++) P[i][av + i] = 1;
    if (n === 2) { const [rx, ry] = turnedAhead(data, y, at, spot); P[0][av + 2] = -ry; P[1][av + 2] = rx; }
    else for (let k = 0; k < 3; k++) turnedAhead(data, y, at, cross3([0, 1, 2].map((i) => Number(i === k)), spot)).forEach((x, i) => { P[i][av + 3 + k] = x; });
    const { M, J } = massesAndRows(m, this.terms(state.t, y)), Z = new Lines(J, scale, 1e-8).free;
    if (!Z.length) return;
    const reduced = onto(M, Z), changes = P.map((row) => timesT(Z, symmetricSolve(reduced, times(Z, row)), nv));  // by a unit impulse, each way
    const F = new Rows(P.map((row) => times(changes, row)), n, 1e-4).least(Float64Array.from(dv)), out = y.slice();
    timesT(changes, F, nv).forEach((x, j) => { out[nq + j] += x; });
    const { mode, held } = state.bounces;
    [state.y] = state.bounces.after(state.t, this.chart.own(out));
    this.anew(state, mode, held);
  }

  // -- output ------------------------------------------------------------------------------------------------------------
  terms(t, y) { return this.machine.giveState(t, y).code.call("terms"); }
  arrays(all, first = 0) {
    const { shown_t, shown_y } = this.shared, { n } = this, forms = all.slice(first), at = (k) => (first + k) * n;
    return this.over(shown_t.a.slice(first, all.length), forms.map((_, k) => shown_y.a.slice(at(k), at(k + 1))), forms);
  }
  // Accelerations, multipliers and what follows from them, at these times and states.
  over(moments, states, forms = states.map((y, k) => this.formShown(moments[k], y))) {
    const { data, machine: m } = this, { nq, nv } = m, out = { t: moments, q: [], v: [], a: [], turns: [], energy: [], reactions: [], points: [] };
    for (let k = 0; k < states.length; k++) {
      hurry();
      const t = moments[k], x = states[k], y = this.chart.bodies(x), form = forms[k], { vdot, lam, F, D } = this.dry ? this.dry.compiled(t, y, form) : form.answer(t, x);
      out.q.push(y.slice(0, nq));
      out.v.push(y.slice(nq, nq + nv));
      out.turns.push(y.slice(nq + nv, y.length - 1));
      out.a.push(vdot);
      const shares = !this.dry && form.data.regular && form.closed.length && !data.joint;
      const pressing = shares ? this.bouncesOver(0).pressing(t, y, form.closed).p : form.closed.map((c, i) => -lam[data.rows.length + (this.dry ? c : i)]), others = (terms) => (this.dry && data.regular ? this.dry.smallest(t, y, terms, vdot, form, pressing, F, D) : !this.dry && (form.data.regular || data.joint) ? smallest(m, terms, vdot, form.closed, pressing) : lam.subarray(0, data.rows.length));
      tellForces(m, out, { t, q: out.q[k], v: out.v[k], turns: out.turns[k], work: y.at(-1) }, vdot, others);
      form.closed.forEach((c, i) => { for (const at of data.impacts[c].forces) out.reactions[k][at] += data.impacts[c].sense * pressing[i]; });
      if (this.dry && data.slots.length) this.dry.tellFriction(out.reactions[k], F, form.mode);
    }
    return out;
  }
}
METHODS.dynamics = Simulation;
