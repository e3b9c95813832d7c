// A driven machine over time: Newton's method and the path by the compiled loop; where it struggles, smaller steps; where it
// ends, why. As `linkwright.solve.follower` and `linkwright.analyses.motion.kinematics` have it.

const NO_PIVOT = 2, NEARER = [1, 2, 3, 4, 5, 6].map((k) => 4 ** -k);

class Follower {
  constructor(machine, most) {
    const { data, code, nq, nv } = machine, nt = data.turns.length, n = nv;
    Object.assign(this, { machine, data, code, n, nq, nt });
    const number = new Array(data.rows.length).fill(-1);
    data.chosen.forEach((k, i) => { number[k] = i; });
    const whole = (x) => code.holding(x, BigInt64Array);
    Object.assign(this, {
      rows: whole(data.pattern[0].map((k) => number[k])), columns: whole(data.pattern[1]), chosen: whole(data.chosen), dense: whole([0, 0, 0, 0]), sparse: data.plan && whole(data.plan),
      times: code.room(most), Q: code.room(most * nq), V: code.room(most * n), W: code.room(most * n), T: code.room(most * Math.max(nt, 1)),
      scale: code.room(n), work: code.room(Math.max(n * n, data.plan_size ?? 0) + 3 * n + 4), pivots: whole(new Array(n).fill(0)), measure: code.room(3), state: whole([0]), usual: code.holding(data.usual),
    });
  }

  // Velocity and acceleration at a configuration; null where it is singular.
  point(q, t, turns) {
    const m = this.machine, [, J] = m.rowsAt(q, t), A = this.data.chosen.map((k) => J[k]), nu = m.nu(q, t);
    const v = solved(A, Float64Array.from(this.data.chosen, (k) => nu[k]));
    if (!v || !finite(v)) return null;
    const gamma = m.gamma(q, v, t), a = solved(A, Float64Array.from(this.data.chosen, (k) => gamma[k]));
    return { t, q, v, a, turns, sign: 0 };
  }

  // From a point over times (the first is its own) as far as each can be reached in one step; the points after the first. Where
  // the order of elimination that was known good is not, densely.
  run(start, times) {
    if (!this.sparse) return this.along(start, times, this.dense, this.n ** 2);
    const found = this.along(start, times, this.sparse, this.data.plan_size);
    if (this.reason !== NO_PIVOT) return found;
    return [...found, ...this.along(found.at(-1) ?? start, times.slice(found.length), this.dense, this.n ** 2)];
  }
  along(start, times, plan, size) {
    const { n, nq, nt, code } = this, F = ["position", "velocity", "acceleration", "retract", "turned"];
    this.times.a.set(times);
    this.Q.a.set(start.q);
    this.V.a.set(start.v);
    this.W.a.set(start.a);
    if (nt) { this.T.a.set(start.turns); code.inputs.turns.a.set(start.turns); }
    code.inputs.b.a.set(this.machine.b);
    this.scale.a.set(this.machine.scale);
    this.measure.a.set([0, 0, start.sign]);
    this.work.a.fill(0);
    const good = Number(code.loop("follow", [
      ...F, code.tables.position[0], ...F.map((name) => code.tables[name][1]), BigInt(n), BigInt(nq), BigInt(nt), BigInt(this.rows.count), this.rows, this.columns, this.chosen,
      BigInt(size), plan, BigInt(times.length), this.times, this.Q, this.V, this.W, this.T, this.scale, this.work, this.pivots, this.measure, this.state, this.usual]));
    this.reason = Number(this.state.a[0]);
    const sign = this.measure.a[2];
    return Array.from({ length: good - 1 }, (_, i) => ({
      t: times[i + 1], q: this.Q.a.slice((i + 1) * nq, (i + 2) * nq), v: this.V.a.slice((i + 1) * n, (i + 2) * n), a: this.W.a.slice((i + 1) * n, (i + 2) * n),
      turns: this.T.a.slice((i + 1) * nt, (i + 2) * nt), sign,
    }));
  }

  // To time t with steps as small as needed; the point, and whether it is there.
  reach(start, t) {
    let point = start, h = 0.5 * (t - start.t);
    const least = 1e-11 * Math.max(Math.abs(t), Math.abs(t - start.t), 1e-300);
    while (point.t !== t) {
      const count = Math.min(Math.ceil(((t - point.t) / h) * (1 - 1e-9)), 32), times = Array.from({ length: count + 1 }, (_, k) => point.t + h * k);
      if ((t - times[count]) / h < 1e-9) times[count] = t;
      const found = this.run(point, times);
      point = found.at(-1) ?? point;
      if (found.length === count) h *= 2;
      else {
        h = 0.5 * (times[found.length + 1] - point.t);
        if (Math.abs(h) < least) return [point, false];
      }
    }
    return [point, true];
  }
}

// The whole motion: arrays over time. Throws where it cannot be, with the motion so far.
class Kinematics {
  constructor(data, code) {
    this.machine = new Machine(data, code);
    this.data = data;
    this.follower = new Follower(this.machine, Math.max(data.t.length, 64));
  }

  solve() {
    const m = this.machine, { t } = this.data, f = this.follower;
    m.restart();
    const q = assembled(m, t[0]);
    const first = f.point(q, t[0], m.turns);
    const points = [];
    if (!first || !this.regular(q, t[0])) throw this.stuck({ t: t[0], q, turns: m.turns }, points);
    points.push(first);
    const end = this.along(points, t);
    if (end) throw this.reaching(end, points);
    this.checkAll(points);
    return this.arrays(points);
  }

  // Points at these times after those that are there; where the motion ends before, the last point that can be reached.
  along(points, t) {
    const f = this.follower;
    while (points.length < t.length) {
      const from = points.at(-1);
      points.push(...f.run(from, [from.t, ...t.slice(points.length)]));
      if (points.length === t.length) break;
      const [point, there] = f.reach(points.at(-1), t[points.length]);
      if (!there) return point;
      points.push(point);
    }
    return null;
  }

  // Why it cannot go on, with the motion that there is: from the start on until it ends, and as far back as it goes. Where it ends
  // the last points are nearer and nearer to each other, for positions change there with the root of the time.
  reaching(end, forward) {
    const error = this.stuck(end, forward), { t } = this.data, [first] = forward, n = t.length, h = (t[n - 1] - t[0]) / (n - 1), back = [first];
    const ended = (points, last) => {
      const sure = points.length, from = points.at(-1), left = last.t - from.t;
      if (left) points.push(...this.follower.run(from, [from.t, ...NEARER.map((x) => last.t - x * left)]), last);
      return sure;
    };
    const before = this.along(back, Float64Array.from(t, (_, k) => t[0] - k * h)), later = ended(forward, end), sooner = before ? ended(back, before) : back.length;
    const points = [...back.slice(1).reverse(), ...forward], start = back.length - 1, near = Math.floor((sooner + later) / 16);
    error.reach = { ...this.arrays(points), sure: [before ? Math.min(start, start - sooner + 1 + near) : 0, Math.max(start, start + later - 1 - near)], locks: before && back.length > 1 ? this.stuck(before, back) : null };
    return error;
  }

  regular(q, t) {
    return this.machine.lines(q, t, this.data.chosen, this.data.rank).rank === this.machine.nv;
  }

  // Lock-up where no finite velocity does what the drivers ask for; else several motions go on from there.
  stuck(point, points) {
    const m = this.machine, { q, t } = point, drivers = [...new Set(this.data.rows.filter((r) => r.driver).map((r) => r.element))];
    m.turns = point.turns;
    const { chosen } = this.data, nu = m.nu(q, t), lines = m.lines(q, t, chosen, 1e-5), wanted = Float64Array.from(chosen, (k, i) => nu[k] / lines.lengths[i]);
    const left = times(lines.unit, lines.rows.least(wanted)).map((x, k) => x - wanted[k]);
    if (largest(left) > 1e-3 * largest(wanted)) {
      return points.length
        ? new Trouble(m.nearestDependence(q, t, chosen, 0.05).elements, `the machine locks up at t = ${short(t)}: the motion cannot go on`, "end the motion before, or change the lengths; a driver elsewhere may pass here")
        : new Trouble(drivers, `the machine is locked where it starts, at t = ${short(t)}: a dead point, where ${drivers.join(" and ")} cannot move anything`, "start a little away from it, at another time or with other estimates");
    }
    return new Trouble(drivers, `the motion has branches at t = ${short(t)}`, "change a length a little, or end the motion before; lw.kinematics(..., branch=0) goes on as before");
  }

  // Equations that were left out as dependent must hold as well.
  checkAll(points) {
    const m = this.machine, active = m.active();
    for (const p of [points[0], points[points.length >> 1], points.at(-1)]) {
      m.turns = p.turns;
      const [Phi] = m.rowsAt(p.q, p.t), off = active.filter((k) => !(Math.abs(Phi[k]) < 1e-6 * Math.max(1, m.length)));
      if (off.length) throw new Trouble([...new Set(off.map((k) => this.data.rows[k].element))], `the joints do not hold together at t = ${short(p.t)}: ${off.map((k) => this.data.rows[k].name).join(", ")}`, "dimensions that were dependent no longer fit together: change the design");
    }
  }

  arrays(points) {
    const join = (key) => points.map((p) => p[key]), out = { t: Float64Array.from(join("t")), q: join("q"), v: join("v"), a: join("a"), turns: join("turns"), energy: [], points: [], reactions: [] }, m = this.machine;
    if (m.code.has("terms")) for (const p of points) tellForces(m, out, { ...p, work: 0 }, p.a, (terms) => smallest(m, terms, p.a));
    return out;
  }
}
METHODS.kinematics = METHODS.inverse_dynamics = Kinematics;
