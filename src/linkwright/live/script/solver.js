// One machine that is solved for values of its parameters, as plain data: for the page, or for a thread of its own.

class Solver {
  constructor(data, code) {
    this.data = data;
    this.motion = new METHODS[data.analysis](data, code);
    this.machine = this.motion.machine;
    this.code = code;
  }
  // The motion and all channels; { trouble } where there is none, { slow } where it would take more than so many milliseconds.
  solve({ values, starts, patience = Infinity }) {
    try {
      clock.until = performance.now() + patience;
      Object.assign(this.machine.values, values);
      this.machine.starts = starts;
      return this.whole(this.motion.solve());
    } catch (error) {
      if (error instanceof Slow) return { slow: true };
      if (!(error instanceof Trouble)) throw error;
      const trouble = ({ element, cause, remedy }) => ({ element, cause, remedy }), { reach } = error;
      return { ...(reach && { ...this.whole(reach), locks: reach.locks && trouble(reach.locks) }), trouble: trouble(error) };
    } finally {
      clock.until = Infinity;
    }
  }
  whole(run) { return { ...run, channels: channelsOf(this.machine, run), drawing: this.drawing(), told: [told(this.data, run), this.machine.note].filter(Boolean).join("\n") }; }
  // Ready to be moved from a state that is given: parameters and phases in place; whether that can be.
  prepare({ values, starts }) {
    try {
      Object.assign(this.machine.values, values);
      this.machine.starts = starts;
      this.machine.restart();
      this.q = assembled(this.machine, this.data.t[0]);
      return true;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      return false;
    }
  }
  // One moment as a run of one time.
  single({ t, y, form }) {
    const { nq } = this.machine, run = this.data.analysis === "equilibrium" ? this.motion.over(y.slice(0, nq), t) : this.motion.over(Float64Array.of(t), [form || !this.motion.chart ? y : this.motion.chart.own(y)], form && [form]);
    return { ...run, channels: channelsOf(this.machine, run) };
  }
  placing() { return new Placing(this); }
  drawing() { return this.code.has("drawing") ? Array.from(this.code.call("drawing", { b: this.machine.b }).numbers.a) : []; }
}

// The start of a simulation as it is put: one body held where it is wanted, the others as near as may be to where they were.
class Placing {
  constructor(solver) {
    Object.assign(this, { solver, machine: solver.machine, q: solver.q, t: solver.data.t[0] });
    this.problem = new Closure(this.machine, this.t, false);
  }
  move(body, spot, wanted, firmly) {
    const { data } = this.machine, [at] = data.bodies[body], q0 = this.q.slice(), weight = Float64Array.from(data.weights), n = data.dimension;
    const arm = turnedAhead(data, this.q, at, spot);
    for (let i = 0; i < n; i++) { q0[at + i] = wanted[i] - arm[i]; weight[at + i] *= firmly; }
    const found = polish(this.problem, this.q, q0, weight);
    if (found.closed) this.q = found.q;
    return found.closed;
  }
  single() {
    const { machine: m } = this;
    m.settle(this.q, this.t);
    return this.solver.single({ t: this.t, y: Float64Array.from([...this.q, ...new Float64Array(m.nv), ...m.turns, 0]) });
  }
  // As start values by name: estimates, and what is fixed.
  values() {
    const { machine: m } = this, fixed = m.code.has("fixes") ? (m.give(this.q, this.t), m.code.call("fixes").values.a.slice()) : [];
    const found = { q: (k) => this.q[k], fixed: (k) => fixed[k] };
    return Object.fromEntries(m.data.starts.filter((s) => found[s.kind]).map((s) => [s.name, found[s.kind](s.at)]));
  }
}
// A direction of a body in ground axes; `at`: where its coordinates are in q.
function turnedAhead(data, q, at, s) {
  if (data.dimension === 2) { const c = Math.cos(q[at + 2]), n = Math.sin(q[at + 2]); return [c * s[0] - n * s[1], n * s[0] + c * s[1]]; }
  const e0 = q[at + 3], e = [q[at + 4], q[at + 5], q[at + 6]], along = e[0] * s[0] + e[1] * s[1] + e[2] * s[2], x = cross3(e, s);
  return s.map((c, i) => (2 * e0 * e0 - 1) * c + 2 * along * e[i] + 2 * e0 * x[i]);
}
const cross3 = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function told(data, run) {
  if (data.analysis !== "dynamics") return `${data.analysis.replace("_", " ")}, computed in this page: ${run.t.length} points`;
  const total = run.energy.map(([T, V, W]) => T + V - W), size = Math.max(...run.energy.map(([T, V]) => Math.abs(T) + Math.abs(V)), 1e-300);
  const drift = Math.max(...total.map((x) => Math.abs(x - total[0]))) / size;
  return `dynamics, computed in this page by ${run.method}: ${run.t.length} points, ${run.steps} steps, ${run.evaluations} evaluations, ${run.switched} switches of laws${run.events.length ? `, ${run.events.filter(([, name]) => !/ (rests|parts|sticks|slips)$/.test(name)).length} impacts` : ""}; energy balance to ${drift.toExponential(1)}`;
}

const load = async (data) => new Solver(data, await Code.load(data));
