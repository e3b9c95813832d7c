// Impacts during a run: one after another where several are due at once, and where they end: in contacts that are held. As
// `linkwright.analyses.dynamics.contact.bounces`, `modes` and `impact` have it; `stick` adds dry friction.

const RESTING = 1e-9, LOW = 1e-12, CROWD = 60, CROWD_SPAN = 1e-7, TOUCH = 1e-10, OVERLAP = 1e-6, AT_REST = 1e-10, SLIGHT = 1e-5, MOMENT = 1e-6, TURNS = 100, LEVELS = 3, LOCKED = 1e-11, PULLS = 1e-12, PRESSED = 1e-12,
  NO_ACCELERATION = 1e-9, IMMOBILE = 1e-10;

class Bounces {
  constructor(simulation, span) {
    const { machine, data } = simulation;
    Object.assign(this, { simulation, machine, data, span, impacts: data.impacts, held: [], idle: [], events: [], recent: [], judged: new Set(), limits: new Map(), flown: Infinity });
  }
  get mode() { return `${this.held.join()};${this.idle.join()}`; }
  get key() { return `${this.held.join()};;;`; }
  name(k) { return this.impacts[k].name; }
  element(k) { return this.impacts[k].element; }

  // The state after the impact that the k-th function of gaps tells of, and after all that follow at once; the shortest flight
  // after one of them. Without k: after a change of the state.
  after(t, y, k = -1) {
    const count = this.impacts.length;
    let flight = Infinity;
    this.judged.clear();
    if (k < 0) this.part(t, y);
    else {
      const level = Math.floor(k / count), own = k % count;
      if (this.held.includes(own)) { this.hold(t, this.held.filter((x) => x !== own)); return [y, flight]; }
      if (level === LEVELS - 1) throw rests(t, [this.element(own)]);
      [y, flight] = this.struck(t, y, own);
    }
    for (let round = 0; round < TURNS; round++) {
      const due = this.due(t, y);
      if (due === null) return [y, flight];
      if (Array.isArray(due)) y = this.rest(t, y, due);
      else {
        const [next, last] = this.struck(t, y, due);
        y = next;
        flight = Math.min(flight, last);
      }
    }
    throw rests(t, this.crowd());
  }

  // -- impacts -----------------------------------------------------------------------------------------------------------
  struck(t, y, k) {
    const { gap, G, rate, e } = this.gaps(t, y), { size, still } = this.sizes(y, G);
    if (rate[k] >= -still[k]) return gap[k] < 0 && e[k] < 1 ? this.last(t, y, [k], k) : [y, Infinity];  // they touch, but for rounding
    if (rate[k] >= (-SLIGHT / AT_REST) * still[k] && this.leads(k)) return [this.handedOver(t, y, k), Infinity];
    const at = this.impacts.map((_, c) => c).filter((c) => c === k || this.held.includes(c) || gap[c] <= TOUCH * size[c]);
    this.judged.clear();
    const [next, found] = this.collided(t, y, at, G, rate, e);
    this.tally(t, found.order.map((j) => at[j]));
    const parted = at.filter((c, i) => found.rates[i] > still[c]);
    this.hold(t, this.held.filter((c) => !parted.includes(c)));
    return this.last(t, this.pressed(t, next, at.filter((c) => !parted.includes(c) && !this.held.includes(c))), parted, k);
  }
  // Whether another feature of the same contact is closed.
  leads(k) { return this.held.some((c) => this.element(c) === this.element(k)); }
  // A shape touches with another feature, which the closed ones lead to without a blow: which of them press is asked a moment later,
  // here they are the same.
  handedOver(t, y, k) {
    const { machine: m, held: before } = this, { nq, nv } = m, h = MOMENT * this.span, vdot = this.accelerations(t, y), later = y.slice(), known = this.events.length;
    later.set(m.retract(y.slice(0, nq), vdot.map((a, j) => h * y[nq + j] + 0.5 * h * h * a)));
    for (let j = 0; j < nv; j++) later[nq + j] += h * vdot[j];
    const touching = [...new Set([...this.held, ...this.idle, k])].sort((a, b) => a - b);
    this.settle(t + h, later, touching, false);
    for (const event of this.events.slice(known)) event[0] = t;
    touching.forEach((c) => this.judged.add(c));
    this.tell(t, before);
    return this.without(t, y, this.leads(k) ? this.held : [...new Set([...this.held, k])].sort((a, b) => a - b));
  }
  // Contacts that do not move are closed, if something presses them.
  pressed(t, y, still) {
    const presses = still.length ? this.presses(t, y) : [], pressed = still.filter((c) => presses[c]);
    return pressed.length ? this.rest(t, y, pressed) : y;
  }
  // Contacts whose flight is too short or too low to be seen are closed.
  last(t, y, parted, k) {
    const crowded = this.recent.length > CROWD;
    while (parted.length) {
      const { gap, G, rate, second, e } = this.gaps(t, y, this.accelerations(t, y)), { size } = this.sizes(y, G);
      const flights = new Map(parted.map((c) => [c, flightOf(Math.max(rate[c], 0), second[c])]));
      // nor is a flight seen that ends below zero, where the gap has come as another contact was closed
      const lowest = (c) => Math.max(LOW * size[c], e[c] < 1 ? -gap[c] : 0);
      const low = parted.filter((c) => { const [time, height] = flights.get(c); return Number.isFinite(time) && (time < RESTING * this.span || height < lowest(c) || (crowded && c === k)); });
      const endless = low.filter((c) => e[c] >= 1);
      if (endless.length) throw rests(t, [...new Set(endless.map((c) => this.element(c)))]);
      if (!low.length) {
        if (crowded && flights.has(k)) throw rests(t, this.crowd());
        this.flown = Math.min(...[...flights.values()].map(([time]) => time));
        return [y, this.flown];
      }
      for (const c of low) this.limits.set(c, t + flights.get(c)[0] / (1 - (e[c] || this.shrinks(flights.get(c)[0]))));
      y = this.rest(t, y, low.sort((a, b) => a - b));
      parted = parted.filter((c) => !low.includes(c));
    }
    return [y, Infinity];
  }
  // Of plastic contacts that lift each other: a flight by the one before it.
  shrinks(time) { return time < this.flown && this.flown < Infinity ? time / this.flown : 0; }
  tally(t, struck) {
    const fresh = struck.map((c) => [t, this.name(c)]);
    this.events.push(...fresh);
    this.recent = [...this.recent.filter(([at]) => t - at < CROWD_SPAN * this.span), ...struck.map((c) => [t, c])];
  }
  crowd() { return [...new Set(this.recent.slice(-CROWD).map(([, c]) => this.element(c)))]; }
  collided(t, y, at, G, rate, e) {
    const [sliding, cones] = this.across(t, y, at), rows = [...at.map((c) => G[c]), ...sliding], { nq, nv } = this.machine, v = y.subarray(nq, nq + nv);
    const answers = this.responses(t, y, rows), own = this.yields(answers.terms, rows);
    const stuck = at.findIndex((c, i) => answers.W[i][i] <= LOCKED * own[i] && rate[c] < 0);
    if (stuck >= 0) throw jammed(t, this.element(at[stuck]), this.drivers(answers, stuck));
    const found = collision(answers.W, [...at.map((c) => rate[c]), ...sliding.map((row) => dot(row, v))], at.map((c) => e[c]), cones), { p } = found, out = y.slice();
    let energy = 0;
    rows.forEach((row, i) => {
      energy += p[i] * (dot(row, v) - dot(answers.mu[i], answers.terms.nu)) + 0.5 * p[i] * dot(answers.W[i], p);
      for (let j = 0; j < nv; j++) out[nq + j] += p[i] * answers.w[i][j];
    });
    out[out.length - 1] += energy;
    return [out, found];
  }
  // Rows of the speeds at which these contacts slide, where they rub, and their cones.
  across() { return [[], []]; }
  // The drivers without which the k-th gap could give way.
  drivers({ terms: { M, J }, G, W, mu }, k) {
    const { rows } = this.data, [w] = new Saddle(M, J.filter((_, i) => !rows[i].driver), this.machine.scale).solve(G[k], null);
    if (!(dot(G[k], w) > 100 * Math.max(W[k][k], 0))) return [];
    const most = largest(mu[k]);
    return [...new Set(rows.filter((r, i) => r.driver && Math.abs(mu[k][i]) > 1e-9 * most).map((r) => r.element))];
  }
  // An impact that is due now, or contacts that close as bodies that touch are pressed together.
  due(t, y) {
    const { gap, G, rate } = this.gaps(t, y), { size, still } = this.sizes(y, G);
    const deep = gap.findIndex((x, k) => x < -10 * OVERLAP * size[k]);
    if (deep >= 0) throw within(t, this.impacts[deep], -gap[deep]);
    const near = this.impacts.map((_, k) => k).filter((k) => gap[k] <= TOUCH * size[k] && !this.held.includes(k) && !this.idle.includes(k));
    const closing = near.filter((k) => rate[k] < (this.judged.has(k) ? SLIGHT / AT_REST : 1) * -still[k]);
    if (closing.length) return closing.reduce((best, k) => (rate[k] < rate[best] ? k : best));
    const slow = near.filter((k) => rate[k] <= still[k]), fresh = slow.filter((k) => !this.judged.has(k));
    if (!fresh.length) return null;
    const presses = this.presses(t, y);
    return fresh.some((k) => presses[k]) ? slow : null;
  }

  // -- contacts that are closed --------------------------------------------------------------------------------------------
  rest(t, y, more) {
    const before = this.held, touching = [...new Set([...this.held, ...this.idle, ...more])].sort((a, b) => a - b);
    const out = this.settle(t, y, touching);
    touching.forEach((k) => this.judged.add(k));
    this.tell(t, before);
    return out;
  }
  // The state with these contacts at rest, and which of them press: forces p >= 0 along the gaps, accelerations >= 0, one of them zero.
  settle(t, y, touching, strikes = true) {
    if (!touching.length) { this.held = []; this.idle = []; return y; }
    const out = strikes ? this.without(t, y, touching) : y, free = this.simulation.formAt(";;;").answer(t, out).vdot, { G, second } = this.gaps(t, out, free);
    const rows = touching.map((k) => G[k]), { W, terms } = this.responses(t, out, rows), own = this.yields(terms, rows), movable = touching.filter((_, i) => W[i][i] > IMMOBILE * own[i]);
    if (movable.length < touching.length) return this.settle(t, out, movable, false);
    const r0 = Float64Array.from(touching, (k) => second[k]);
    const x = oneSided(W, r0, touching.map(() => true)), change = times(W, x), r = r0.map((a, i) => a + change[i]);
    const most = largest(x.map((f, i) => f * Math.sqrt(own[i]))), fastest = largest(r0.map((a, i) => a / Math.sqrt(own[i]))) || 1;
    const closed = touching.map((_, i) => x[i] * Math.sqrt(own[i]) > PRESSED * most), some = (is) => touching.filter((_, i) => is(i));
    this.held = some((i) => closed[i]);
    this.idle = some((i) => !closed[i] && Math.abs(r[i]) / Math.sqrt(own[i]) <= NO_ACCELERATION * fastest);
    const still = some((i) => this.held.includes(touching[i]) || this.idle.includes(touching[i]));
    if (this.idle.length && this.share(t, out, still)) [this.held, this.idle] = [still, []];
    return out;
  }
  // Whether contacts that do not move share a load which fewer of them would bear: by the least forces none of them pulls.
  share(t, y, still) {
    if (this.data.joint) return false;
    const { M, J, rows, p } = this.pressing(t, y, still), rank = (all) => new Response(M, all, this.machine.scale).rows.rank, own = this.yields({ M }, rows).map(Math.sqrt);
    return rank([...J, ...rows]) < rank(J) + still.length && p.every((x, i) => x * own[i] >= -PRESSED * largest(p.map((f, k) => f * own[k])));
  }
  // The least forces with which these contacts stay closed.
  pressing(t, y, closed) {
    const { vdot, lam } = this.simulation.formAt(";;;").answer(t, y), { M, J } = this.terms(t, y), { G, second } = this.gaps(t, y, vdot), rows = closed.map((k) => G[k]);
    return { M, J, rows, ...this.leastForces(M, J, rows, vdot, lam, closed.map((k) => second[k])) };
  }
  // Of all forces p along rows that keep these from accelerating the least, those of joints counted in; `lam`, `second`: without them.
  leastForces(M, J, rows, free, lam, second, rank) {
    const every = [...J, ...rows], response = new Response(M, every, this.machine.scale, this.yields({ M }, every), rank), wanted = rows.map((row, i) => dot(row, free) - second[i]);
    const [vdot, found] = response.of(plus(times(M, free), timesT(J, lam, free.length)), Float64Array.from([...times(J, free), ...wanted]));
    return { vdot, p: found.slice(J.length).map((x) => -x) };
  }
  // Velocities that leave these gaps as they are, by the least change.
  without(t, y, touching) {
    const { nq, nv, scale } = this.machine, { M, J, nu } = this.terms(t, y), { G, rate } = this.gaps(t, y), v = y.slice(nq, nq + nv), Jv = times(J, v);
    const [step] = new Saddle(M, [...J, ...touching.map((k) => G[k])], scale).solve(null, [...nu.map((x, i) => x - Jv[i]), ...touching.map((k) => -rate[k])]);
    const now = v.map((x, j) => x + step[j]), out = y.slice();
    out.set(now, nq);
    out[out.length - 1] += 0.5 * (dot(now, times(M, now)) - dot(v, times(M, v)));
    return out;
  }
  // Where laws have changed: contacts that would pull open.
  check(t, y) {
    if (!this.held.length) return y;
    const { lam } = this.simulation.formOf(this).answer(t, y), first = this.data.rows.length, before = this.held;
    if (!this.held.some((_, i) => -lam[first + i] < -PULLS * largest(lam))) return y;
    const out = this.settle(t, y, [...this.held, ...this.idle].sort((a, b) => a - b));
    this.tell(t, before);
    return out;
  }
  part(t, y) {
    if (!this.held.length) return;
    const { gap, G, rate } = this.gaps(t, y), { size, still } = this.sizes(y, G);
    this.hold(t, this.held.filter((k) => gap[k] <= TOUCH * size[k] && Math.abs(rate[k]) <= still[k]));
  }
  hold(t, held) {
    const before = this.held;
    this.held = [...held].sort((a, b) => a - b);
    this.idle = this.idle.filter((k) => !this.held.includes(k));
    this.tell(t, before);
  }
  // Contacts rest at the limit of the times of impacts that are not seen any more.
  tell(t, before) {
    for (const k of this.held) if (!before.includes(k)) this.events.push([Math.max(this.limits.get(k) ?? t, t), `${this.name(k)} rests`]);
    this.limits.clear();
    for (const k of before) if (!this.held.includes(k)) this.events.push([t, `${this.name(k)} parts`]);
  }

  // -- numbers -------------------------------------------------------------------------------------------------------------
  put(t, y) { return this.machine.giveState(t, y).code; }
  gaps(t, y, vdot) {
    const { nv } = this.machine, code = this.put(t, y);
    if (vdot) code.inputs.vdot.a.set(vdot); else code.inputs.vdot.a.fill(0);
    const { gap, G, rate, second, restitution } = code.call("gaps");
    return { gap: gap.a.slice(), G: this.impacts.map((_, k) => G.a.slice(k * nv, (k + 1) * nv)), rate: rate.a.slice(), second: second.a.slice(), e: restitution.a.slice() };
  }
  // What a displacement of the machine's size does to the gaps, and rates that are none.
  sizes(y, G) {
    const { nq, nv, scale } = this.machine, size = G.map((row) => norm(product(row, scale))), most = largest(ratio(y.slice(nq, nq + nv), scale));
    return { size, still: size.map((x) => x * Math.max(AT_REST * most, this.span ? LOW / this.span : 0)) };
  }
  terms(t, y) { return massesAndRows(this.machine, this.simulation.terms(t, y)); }
  // What unit impulses along some gaps do: w and mu of M w + J^T mu = g, J w = 0; W: of the gaps' rates.
  responses(t, y, G) {
    const terms = this.terms(t, y), saddle = new Saddle(terms.M, terms.J, this.machine.scale), pairs = G.map((g) => saddle.solve(g, null));
    const raw = G.map((g) => Float64Array.from(pairs, ([w]) => dot(g, w)));
    return { terms, G, w: pairs.map(([w]) => w), mu: pairs.map(([, mu]) => mu), W: raw.map((row, i) => row.map((x, j) => 0.5 * (x + raw[j][i]))) };
  }
  // What each gap would yield if nothing else held its bodies.
  yields({ M }, G) {
    const most = Math.max(...M.map((row, i) => row[i]), 0) || 1, mass = M.map((row, i) => (row[i] > 0 ? row[i] : most));
    return G.map((g) => g.reduce((s, x, j) => s + (x * x) / mass[j], 0) || 1);
  }
  presses(t, y) {
    const vdot = this.accelerations(t, y), { G, second } = this.gaps(t, y, vdot), { size } = this.sizes(y, G), { scale } = this.machine;
    const most = largest(ratio(vdot, scale));
    return Array.from(second, (x, k) => x < -AT_REST * size[k] * most);
  }
  accelerations(t, y) { return this.simulation.formOf(this).answer(t, y).vdot; }
}

// The time until a gap that opens at a rate closes again, and how far it opens.
function flightOf(rate, second) {
  const time = second < 0 ? Math.max((2 * rate) / -second, 0) : Infinity;
  return [time, time > 0 ? 0.25 * rate * time : 0];
}
const rests = (t, names) => new Trouble(names, `the bodies of ${names.join(" and ")} come to rest on each other at t = ${short(t)}: impacts follow each other without end`, "give the contact a stiffness k (and a damping c), or end the run before");
const within = (t, { element, stop }, depth) => new Trouble([element], stop
  ? `the quantity of ${element} is ${Number(depth.toPrecision(3))} ${stop} beyond its end at t = ${short(t)}`
  : `the bodies of ${element} are within each other by ${Number(depth.toPrecision(3))} m at t = ${short(t)}`,
`begin ${stop ? "within its ends" : "with them apart"}, or give it a stiffness k`);
function jammed(t, element, drivers) {
  if (!drivers.length) return new Trouble([element], `the bodies of ${element} meet at t = ${short(t)}, and joints hold both: nothing can give way`, "leave the contact out, or free one of the bodies");
  const who = drivers.length > 1 ? `the drivers ${drivers.join(" and ")} push` : `the driver ${drivers[0]} pushes`;
  return new Trouble([element, ...drivers], `${who} the bodies of ${element} into each other at t = ${short(t)}: nothing can give way`, "end the motion there, drive by a force (Force, Motor, PID), or give the contact a stiffness k");
}
