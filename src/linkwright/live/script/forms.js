// The equations of a machine in one mode: which contacts are closed. Between two events laws do not change their form either, which
// flags tell. As `linkwright.analyses.dynamics.switching` has it.

const keyOf = ({ closed, stuck, full, smooth }) => [closed, stuck, full, smooth].map((x) => x.join()).join(";");

class Form {
  constructor(machine, data) {
    const { code } = machine, own = (name) => name + data.suffix;
    Object.assign(this, { machine, code, data, closed: data.closed, kinks: data.switches.map((s) => s.kink), count: data.switches.length, watched: data.watched });
    this.names = { motion: own("motion"), projection: own("projection"), events: own("events"), jacobian: own("jacobian") };
    this.inputs = { y: code.inputs[machine.data.y ?? "y"], flags: code.inputs[own("flags")], gains: code.inputs[own("gains")] };
  }
  // In a mode, whose values are numbers in the equations.
  in(mode, values) { return Object.assign(Object.create(this), { mode, values, drifts: mode.stuck.some((k) => !this.machine.data.slots[k].coordinate) }); }
  get none() { return new Array(this.count).fill(0); }
  element(k) { return this.data.switches[k].element; }

  put(t, y, flags) {
    const { inputs } = this.code;
    inputs.t.a[0] = t;
    this.inputs.y.a.set(y);
    const held = inputs["b held"];
    if (held) { held.a.set(this.machine.b); held.a.set(this.values ?? [], this.machine.b.length); } else inputs.b.a.set(this.machine.b);
    if (flags.length) this.inputs.flags.a.set(flags);
    if (this.inputs.gains.count) this.inputs.gains.a.set(this.data.tuning);
  }
  motion(t, y, flags) { this.put(t, y, flags); return this.code.call(this.names.motion); }
  // The functions of switches.
  events(t, y, flags) { this.put(t, y, flags); return this.code.call(this.names.events).g.a.slice(this.watched); }
  // The flags as the conditions themselves say; some depend on others.
  conditions(t, y) {
    let flags = this.none;
    for (let round = 0; round < this.count; round++) {
      const fresh = [...this.events(t, y, flags)].map((g) => Number(g > 0));
      if (fresh.every((x, k) => x === flags[k])) break;
      flags = fresh;
    }
    return flags;
  }
  // Accelerations and multipliers of the rows, those that are left out zero.
  answer(t, y) {
    const { nq, nv } = this.machine;
    if (this.machine.data.joint) {  // multipliers are found from these
      this.put(t, y, this.conditions(t, y));
      return { vdot: this.code.call("accelerations").ydot.a.slice(nq, nq + nv) };
    }
    const { ydot, lam } = this.motion(t, y, this.conditions(t, y)), all = new Float64Array(this.machine.data.rows.length + this.data.more);
    this.data.rows.forEach((row, i) => { all[row] = lam.a[i]; });
    return { vdot: ydot.a.slice(nq, nq + nv), lam: all };
  }

  // -- switches --------------------------------------------------------------------------------------------------------
  // The functions of switches now and h later, by a step of order two.
  ahead(t, y, flags, h) {
    return [this.events(t, y, flags), this.events(t + h, this.moved(t, y, flags, h), flags)];
  }
  moved(t, y, flags, h) {
    const first = this.motion(t, y, flags).ydot.a.slice(), second = this.motion(t + h, y.map((x, k) => x + h * first[k]), flags).ydot.a;
    return y.map((x, k) => x + 0.5 * h * (first[k] + second[k]));
  }
  // y on the far side of a zero that it has come to, where its function moves no more on that side: a state held at its limit.
  across(t, y, flags, moment, fired) {
    if (this.kinks[fired]) return y;
    const changed = flags.slice(), beyond = flags[fired] < 0.5;
    changed[fired] = 1 - flags[fired];
    const [now, later] = this.ahead(t, y, changed, moment).map((g) => g[fired]);
    if (now > 0 === beyond || Math.abs(later - now) > 1e-3 * Math.abs(now)) return y;
    for (let step = 1e-18 * moment; step < 1e-6 * moment; step *= 2) {
      const over = this.moved(t, y, flags, step);
      if (this.events(t, over, changed)[fired] > 0 === beyond) return over;
    }
    return y;
  }
  // What the conditions are right after (t, y); `fired`: the switch whose event this is.
  after(t, y, flags, moment, fired = -1) {
    if (!flags.length) return flags;
    const { kinks } = this;
    let out = flags.map((x, k) => (kinks[k] ? 0 : k === fired ? 1 - x : x)), now, later;
    for (let round = 0; round < 3; round++) {
      [now, later] = this.ahead(t, y, out, moment);
      const fresh = out.map((_, k) => (kinks[k] ? 0 : Number((Math.abs(now[k]) <= 2 * Math.abs(later[k] - now[k]) ? later[k] : now[k]) > 0)));
      if (fresh.every((x, k) => x === out[k])) break;
      out = fresh;
    }
    if (!kinks.some(Boolean)) return out;
    const quiet = this.quiet(t, y, out, moment, now, later);
    return out.map((x, k) => (quiet[k] ? 1 : x));
  }
  // Kinks that are zero, and stay so a moment, but for motions too small to count.
  quiet(t, y, flags, moment, now, later) {
    const { nq, nv, scale, data: { joint } } = this.machine, response = new Float64Array(now.length);
    for (let look = 0; look < 4; look++) {
      const random = chance(look + 1), d = scale.map((x) => (random() < 0.5 ? -x : x)), near = y.slice();
      if (joint) for (let k = 0; k < joint.nq + joint.nv; k++) near[k] += (random() < 0.5 ? -1 : 1) * (k < joint.nq ? 1e-12 : 1e-15 / moment);
      else {
        near.set(this.machine.retract(y.slice(0, nq), d.map((x) => 1e-12 * x)));
        for (let j = 0; j < nv; j++) near[nq + j] += (1e-15 / moment) * d[j];
      }
      this.events(t, near, flags).forEach((x, k) => { response[k] = Math.max(response[k], Math.abs(x - now[k])); });
    }
    return this.kinks.map((is, k) => is && Math.max(Math.abs(now[k]), Math.abs(later[k])) <= response[k]);
  }
  // Flags that a stretch ended with the wrong sign: they were wrong from its start.
  mistaken(t, y, flags, moment, fired, lasted) {
    if (!flags.length) return [];
    const [now, later] = this.ahead(t, y, flags, moment);
    const wrong = flags.map((x, k) => !this.kinks[k] && Math.abs(now[k]) > 2 * Math.abs(later[k] - now[k]) && now[k] > 0 !== x > 0.5);
    if (fired >= 0 && !this.kinks[fired]) {
      const before = this.ahead(t, y, flags, -Math.min(moment, 0.1 * lasted))[1][fired];
      wrong[fired] = Math.abs(before) > 10 * Math.abs(now[fired]) && before > 0 !== flags[fired] > 0.5;
    }
    return wrong;
  }
}
