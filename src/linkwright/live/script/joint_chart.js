// Coordinates of joints: a machine with dependent constraints is integrated in those of a spanning tree, as `lw.dynamics` does. States
// x = (coordinates, speeds, turns, work) are the integrator's; those of bodies, y, follow from them.

const READ_ROUNDS = 60, READ_STEP = 1e-6;

class JointChart {
  constructor(machine) {
    const { nq, nv, x } = machine.data.joint;
    Object.assign(this, { machine, code: machine.code, nq, nv, near: Float64Array.from(x) });
  }
  bodies(x) {
    const { inputs } = this.code;
    inputs[this.machine.data.y ?? "y"].a.set(x);
    inputs.b.a.set(this.machine.b);
    return this.code.call("cartesian").y.a.slice();
  }
  // The same, near to that of the page as it was made: whatever was solved before, it is the same.
  again(y) {
    this.near = Float64Array.from(this.machine.data.joint.x);
    return this.own(y);
  }
  // The state x of a bodies' one, near to the last that was read: by Newton's method; speeds follow from velocities as they are.
  own(y) {
    const { machine: m, nq, nv } = this, x = this.near.slice(), first = m.nq + m.nv, of = (z) => this.bodies(z).subarray(0, m.nq);
    x.set(y.subarray(first), nq + nv);
    x.fill(0, nq, nq + nv);
    let last = Infinity, left = Infinity;
    for (let round = 0; round < READ_ROUNDS; round++) {
      const r = this.off(y, of(x)), columns = range(nq).map((k) => { const ahead = x.slice(), behind = x.slice(); ahead[k] += READ_STEP; behind[k] -= READ_STEP; const a = of(ahead), b = of(behind); return a.map((z, i) => (z - b[i]) / (2 * READ_STEP)); });
      const step = new Rows(transposed(columns, m.nq), nq, 1e-10).least(r), size = largest(step), by = Math.min(1, 0.5 / size);
      left = largest(r);
      if (!(size > 1e-15) || (size < 1e-12 && size >= 0.5 * last)) break;
      for (let k = 0; k < nq; k++) x[k] += by * step[k];
      last = size;
    }
    if (!(left < 1e-8 * Math.max(m.length, 1))) throw new Trouble([], "the joints are assembled in another way than when the page was made", "values nearer to those of the model");
    const velocity = (u) => { const z = x.slice(); if (u >= 0) z[nq + u] = 1; return this.bodies(z).slice(m.nq, first); }, rest = velocity(-1);
    const R = range(nv).map((u) => velocity(u).map((z, i) => z - rest[i])), v = y.slice(m.nq, first).map((z, i) => z - rest[i]);
    x.set(new Rows(transposed(R, m.nv), nv, 1e-10).least(v), nq);
    this.near = x.slice();
    return x;
  }
  // What is missing to the configuration of y; p and -p are one orientation.
  off(y, q) {
    const out = Float64Array.from(q, (z, i) => y[i] - z);
    if (this.machine.data.dimension === 2) return out;
    for (const [at] of Object.values(this.machine.data.bodies)) {
      let s = 0;
      for (let i = at + 3; i < at + 7; i++) s += y[i] * q[i];
      if (s < 0) for (let i = at + 3; i < at + 7; i++) out[i] = -y[i] - q[i];
    }
    return out;
  }
}
// A machine that turns out stiff may go on in coordinates of joints: what does that.
function laterOf({ machine, code, data }) {
  const whole = { ...data, ...data.later, later: null };
  return new Simulation(whole, code, Object.create(machine, { data: { value: whole } }));
}
// From here on, to the end; where motions branch, if they do.
function goOnInJoints({ later }, c, end, run) {
  const x = later.chart.again(c.y), d = later.courseAt(c.t, x, c.span);
  Object.assign(d, { flags: c.flags, switched: c.switched, recent: c.recent });
  run.first = run.forms.length;
  run.stiffness.simulation = later;
  later.change(d, later.stiff);
  const wrong = later.goOn(d, end, run);
  c.switched = d.switched;
  return wrong;
}
function shownOfBoth(simulation, { forms, first }) {
  const shown = simulation.arrays(forms.slice(0, first)), more = simulation.later.arrays(forms, first);
  for (const k in shown) shown[k] = shown[k].constructor.from([...shown[k], ...more[k]]);  // numbers stay an array of numbers
  return shown;
}
