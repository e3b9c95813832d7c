// Dry friction that sticks and slips, beside impacts; as `linkwright.analyses.dynamics.contact.modes` has it. A mode: contacts that press
// (closed) and that touch and do not (idle), slots that stick, that give all they have while others hold them (full), of a prescribed
// motion (smooth); senses of speeds, anchors, speeds of capture (rest) and weights of slots.

const SLOT_STILL = 1e-10, SLOWEST = 1e-13, STAYS = 1e4, PASSES = 20, HELPED = 4, BEGINNING = 3, ACCELERATES = 1e-6, EXCEEDS = 1e-9, OPEN = 1e-5, CAPTURE = 10, RUBS = 40, RUB_SPAN = 1e-4, MOST_RUBS = 1000, MOST_SPAN = 1e-2, COARSER = 10, COARSEST = 1e4;

class DryBounces extends Bounces {
  constructor(simulation, span) {
    super(simulation, span);
    const { slots } = this.data, n = slots.length;
    this.at = slots.map((_, k) => sum(slots.slice(0, k).map((s) => s.size)));
    this.now = { closed: [], stuck: [], full: [], smooth: range(n), idle: [], senses: range(sum(slots.map((s) => s.size))).fill(0), anchors: range(n).fill(0), rest: range(n).fill(0), weights: [] };
    Object.assign(this, { slots, rubbedAt: [], rubs: [], helped: 0, coarse: 1, started: false });
  }
  get held() { return this.now.closed; }
  set held(closed) { this.now = { ...this.now, closed }; }
  get idle() { return this.now.idle; }
  set idle(idle) { this.now = { ...this.now, idle }; }
  get mode() { return JSON.stringify(this.now); }
  get key() { return keyOf(this.now); }
  get values() { return [...this.now.senses, ...this.now.anchors, ...this.now.rest]; }
  get touching() { return [...this.held, ...this.idle].sort((a, b) => a - b); }
  slides(k) { return !this.now.stuck.includes(k); }

  // -- events --------------------------------------------------------------------------------------------------------------------
  after(t, y, k = -1) {
    const first = LEVELS * this.impacts.length;
    if (k >= first) return [this.rubbed(t, y, k - first), Infinity];
    const [next, flight] = first ? super.after(t, y, k) : [y, Infinity];
    return [this.told(t, () => this.settle(t, next, this.touching)), flight];
  }
  told(t, act) {
    const before = this.held, y = act();
    this.tell(t, before);
    return y;
  }
  rubbed(t, y, k) {
    this.rubbedAt = [...this.rubbedAt.filter((x) => t - x < RUB_SPAN * this.span), t];
    this.rubs = [...this.rubs.slice(-MOST_RUBS), t];
    const withoutEnd = this.rubs.length > MOST_RUBS && t - this.rubs[0] < MOST_SPAN * this.span;
    if (this.rubbedAt.length > RUBS || withoutEnd) {
      if (withoutEnd || !this.coarsen()) throw rubs(t, this.slots[k].element);
      this.rubbedAt = [t];
    } else if (this.rubbedAt.length === 1) this.coarse = 1;
    return this.told(t, () => this.settle(t, y, this.atRest(t, y), true, k));
  }
  // Contacts that press, or may: also those that have just parted by rounding, and do not move.
  atRest(t, y) {
    if (!this.impacts.length) return this.touching;
    const { gap, G, rate } = this.gaps(t, y), { size, still } = this.sizes(y, G), known = this.touching;
    return range(this.impacts.length).filter((c) => known.includes(c) || (gap[c] <= TOUCH * size[c] && Math.abs(rate[c]) <= still[c]));
  }
  // Slots of contacts that are open do not rub.
  hold(t, held) {
    const before = this.held, closed = [...held].sort((a, b) => a - b), gone = (k) => this.slots[k].impact >= 0 && !closed.includes(this.slots[k].impact);
    this.now = { ...this.now, closed, stuck: this.now.stuck.filter((k) => !gone(k)), idle: this.now.idle.filter((k) => !closed.includes(k)) };
    this.tell(t, before);
  }
  check(t, y) {
    const { closed, stuck } = this.now, first = this.data.rows.length;
    const sliding = this.sliding(), settled = () => this.told(t, () => this.settle(t, y, this.touching));
    // what drives it ended smoothly: a speed that touches zero is no event
    if (sliding.length && this.resting(new DrySpace(this, t, y, this.touching), new Set()).some((k) => sliding.includes(k))) return settled();
    if (!closed.length && !stuck.length) return y;
    const found = this.inMode(t, y), pulls = closed.some((k) => -found.lam[first + k] < -PULLS * largest(found.lam));
    return pulls || this.exceeds(t, y, found) ? settled() : y;
  }
  exceeds(t, y, { F, N }, part = EXCEEDS, slack = 0) {
    const [numbers] = this.numbers(t, y);
    return this.now.stuck.some((k) => norm(this.forceOf(k, F)) > (1 + part) * (numbers[k][1] * N[k] + numbers[k][2]) + slack * largest(N));
  }
  forceOf(k, F) { return F.slice(this.at[k], this.at[k] + this.slots[k].size); }

  // -- decisions -----------------------------------------------------------------------------------------------------------------
  // The state in the mode that is right here. `fired`: a slot that cannot hold any more, or has come to rest.
  settle(t, y, touching, strikes = true, fired = -1) {
    const before = this.now, captured = new Set(), again = () => this.settle(t, start, asked, strikes, fired), start = y, asked = touching;
    if (touching.length && strikes) y = this.closedUp(t, y, touching, fired);
    let breaking = before.stuck.includes(fired) ? fired : -1, resting = null, found = null;
    if (fired >= 0 && breaking < 0) captured.add(fired);
    for (let pass = 0; pass < PASSES; pass++) {
      let space = new DrySpace(this, t, y, touching);
      const movable = space.movable();
      if (movable.length < touching.length) space = new DrySpace(this, t, y, movable);
      if (!resting && captured.size) for (const k of this.slow(space)) captured.add(k);
      const now = this.resting(space, captured);
      if (resting && now.join() === resting.join()) break;
      resting = now;
      const [out, smooth] = this.decided(space, t, resting, breaking);
      found = out;
      this.now = this.modeOf(space, found, smooth, before);
      y = this.projected(t, y, space, found);
      touching = this.touching;
      if (found.begun.has(breaking)) breaking = -1;
      for (const k of [...found.begun.keys(), ...found.stuck]) captured.add(k);
    }
    const { stuck, closed } = this.now;
    if (stuck.length && (!found.unique || closed.length) && this.exceeds(t, y, this.inMode(t, y), OPEN, EXCEEDS)) return this.coarser(t, before, again);
    this.tellSlots(t, before, found.begun);
    return y;
  }
  // The same where slow motions count as rest: a box that slides and turns to rest stops as a whole.
  coarser(t, before, again) {
    const usual = this.coarse, { stuck } = this.now;
    try {
      if (!this.coarsen()) throw shared(t, [...new Set(stuck.map((k) => this.slots[k].element))]);
      this.now = before;
      return again();
    } finally { this.coarse = usual; }
  }
  // Velocities with which these contacts stay closed; what sticks does so while others close.
  closedUp(t, y, touching, fired) {
    const { stuck, closed } = this.now, base = range(this.data.rows.length), rows = [...base, ...touching.map((k) => base.length + k)], left = stuck.filter((k) => k !== fired);
    if (!left.length || touching.every((k) => closed.includes(k))) return this.jump(t, y, rows);
    const space = new DrySpace(this, t, y, touching), resting = this.resting(space, new Set()), own = left.filter((k) => resting.includes(k)).flatMap((k) => space.rowsOf(k));
    return this.jump(t, y, rows, own.map((i) => space.G[i]), own.map((i) => -space.rate[i]));
  }
  resting(space, captured) {
    const { stuck, full } = this.now, still = space.sizes.map((x) => (SLOT_STILL * space.speed + SLOWEST) * x);
    return range(this.slots.length).filter((k) => {
      const { impact, size } = this.slots[k], rows = space.rowsOf(k), below = (f) => rows.every((i) => Math.abs(space.rate[i]) <= f * still[i]);
      if (impact >= 0 && !space.touching.includes(impact)) return false;
      const rests = size > 1 ? norm(rows.map((i) => space.rate[i])) <= this.slowest(space, k) : below(1);
      return rests || ((stuck.includes(k) || full.includes(k)) && below(STAYS)) || captured.has(k);
    });
  }
  sliding() {
    const { stuck, full, smooth, closed } = this.now;
    return range(this.slots.length).filter((k) => ![...stuck, ...full, ...smooth].includes(k) && (this.slots[k].impact < 0 || closed.includes(this.slots[k].impact)));
  }
  // Those of one speed that slide more slowly than the tolerances resolve come to rest with the one that just has.
  slow(space) { return this.sliding().filter((k) => this.slots[k].size === 1 && Math.abs(space.rate[space.rowsOf(k)[0]]) <= this.slowest(space, k)); }
  slowest(space, k) {
    const size = Math.max(...space.rowsOf(k).map((i) => space.sizes[i]));
    return this.coarse * Math.max(space.numbers[k][4], CAPTURE * (this.data.atol + this.data.rtol * space.speed * size));
  }
  // Where slots with several speeds stick and slip without end faster motions count as rest from here on. Whether they may.
  coarsen() {
    this.coarse *= COARSER;
    return this.coarse <= COARSEST && this.slots.some(({ size }) => size > 1);
  }
  decided(space, t, resting, breaking) {
    const rubbing = new Map(), smooth = [];
    this.slots.forEach(({ impact }, k) => {
      const rows = space.rowsOf(k), [mu, fixed, level, viscous] = space.numbers[k], speed = rows.map((i) => space.rate[i]), rests = resting.includes(k);
      if (impact >= 0 && !space.touching.includes(impact)) return;
      if (impact < 0 && this.isImmobile(space, rows, rests)) { smooth.push(k); return; }
      rubbing.set(k, { rows, mu, static: fixed, level, press: impact < 0 ? -1 : space.touching.indexOf(impact), slides: rests ? null : unitOf(speed), given: speed.map((x) => -viscous * x) });
    });
    const numbered = [...rubbing.keys()], forced = new Map(), spent = new Set();
    if (rubbing.has(breaking)) {
      if (this.movesAlone(space, breaking)) for (const [k, u] of this.takenAlong(space, breaking, this.wayOut(t, space.y, breaking))) { if (rubbing.has(k)) forced.set(numbered.indexOf(k), u); }
      else spent.add(numbered.indexOf(breaking));
    }
    let found;
    try { found = space.solved(rubbing, smooth, forced, spent); } catch (error) { throw error instanceof Inconsistent ? paradox(t, [...new Set(error.slots.map((k) => this.slots[numbered[k]].element))]) : error; }
    const named = (map) => new Map([...map].map(([k, x]) => [numbered[k], x]));
    Object.assign(found, { stuck: found.stuck.map((k) => numbered[k]), begun: named(found.begun), full: named(found.full), weights: named(found.weights), offsets: named(found.offsets) });
    this.helped += Number(found.offsets.size > 0);
    if (this.helped > HELPED) throw shared(t, [...new Set(found.stuck.map((k) => this.slots[k].element))]);
    return [found, smooth];
  }
  // The rows of what is closed and of all slots that stick, but for one.
  heldBut(space, k) {
    const { stuck, closed } = this.now;
    return [...range(space.touching.length).filter((i) => closed.includes(space.touching[i])), ...stuck.filter((j) => j !== k).flatMap((j) => space.rowsOf(j))];
  }
  movesAlone(space, k) { return mobility(space.W, space.own, space.rowsOf(k), this.heldBut(space, k)) > DRY_HELD; }
  takenAlong(space, k, way) {
    const out = new Map([[k, way]]), columns = this.now.full.length ? answersOf(space.W, space.own, space.rowsOf(k), this.heldBut(space, k)) : [];
    for (const j of this.now.full) {
      const rows = space.rowsOf(j), own = way.reduce((s, x, n) => s + x * columns[n][rows[0]], 0);
      if (rows.length === 1 && Math.abs(own) > DRY_HELD * Math.sqrt(space.own[rows[0]])) out.set(j, [Math.sign(own)]);
    }
    return out;
  }
  // Whether forces do not move a slot: it follows drivers, or is held by joints.
  isImmobile(space, rows, rests) {
    if (!rows.every((i) => space.W[i][i] <= IMMOBILE * space.own[i])) return false;
    return !rests || rows.every((i) => Math.abs(space.r0[i]) <= 1e-9 * Math.sqrt(space.own[i]) * space.largest);
  }
  // The motion that begins where a slot breaks away: against the friction that held it.
  wayOut(t, y, k) { return unitOf(Array.from(this.forceOf(k, this.inMode(t, y).F), (x) => -x)); }

  modeOf(space, found, smooth, before) {
    const senses = [], anchors = [], rest = [];
    this.slots.forEach(({ size }, k) => {
      const way = found.begun.get(k) ?? found.full.get(k) ?? space.rowsOf(k).map((i) => space.rate[i]);
      if (found.stuck.includes(k)) senses.push(...(found.offsets.get(k) ?? range(size).fill(0)));
      else senses.push(...(size === 1 && !found.full.has(k) ? way.map(Math.sign) : way));
      anchors.push(before.stuck.includes(k) && found.stuck.includes(k) ? before.anchors[k] : space.places[k]);
      rest.push(this.slowest(space, k));
    });
    const named = (rows) => rows.map((i) => space.touching[i]);
    return { closed: named(found.closed), stuck: found.stuck, full: [...found.full.keys()].sort((a, b) => a - b), smooth, idle: named(found.idle), senses, anchors, rest, weights: this.slots.map((_, k) => found.weights.get(k) ?? 0) };
  }
  // What sticks has no speed, what begins to move in several directions has a first one.
  projected(t, y, space, found) {
    if (this.now.stuck.length) y = this.jump(t, y, this.rowsIn(this.now));
    const begun = [...found.begun].filter(([, u]) => u.length > 1);
    if (!begun.length) return y;
    const rows = begun.map(([k]) => space.rowsOf(k)), speed = BEGINNING * Math.min(...begun.map(([k]) => this.now.rest[k])), way = mechanism(space, found, begun.map(([, u]) => u), rows);
    return this.jump(t, y, this.rowsIn(this.now), rows.flat().map((i) => space.G[i]), way.map((x) => speed * x));
  }
  tellSlots(t, before, begun) {
    if (!this.started) return;
    const rested = [...before.stuck, ...before.full], rest = [...this.now.stuck, ...this.now.full], some = (slots) => slots.sort((a, b) => a - b).map((k) => this.slots[k].name);
    for (const name of some(rest.filter((k) => !rested.includes(k)))) this.events.push([t, `${name} sticks`]);
    for (const name of some(rested.filter((k) => begun.has(k)))) this.events.push([t, `${name} slips`]);
  }

  // -- numbers -------------------------------------------------------------------------------------------------------------------
  // With the equations of all contacts and slots as rows.
  put(t, y) {
    const code = super.put(t, y), held = code.inputs["b held"];
    if (held) { held.a.fill(0); held.a.set(this.machine.b); }
    return code;
  }
  every(t, y) {
    const terms = this.put(t, y).call("every"), { h, Q, gamma } = terms;
    return { ...massesAndRows(this.machine, terms, this.data.every_pattern), gamma: gamma.a.slice(), force: plus(Q.a, h.a, -1) };
  }
  loads(t, y, lam) { const code = this.put(t, y); if (!this.slots.length) return []; code.inputs["lam every"].a.set(lam); return code.call("slot forces").N.a.slice(); }
  numbers(t, y) {
    if (!this.slots.length) return [[], []];
    const { x, s } = this.put(t, y).call("slot numbers");
    return [this.slots.map((_, k) => x.a.slice(5 * k, 5 * k + 5)), s.a.slice()];
  }
  smooth(t, y, lam, isDry) {
    const code = this.put(t, y);
    code.inputs.lam.a.set(lam);
    code.inputs.dry.a.set(isDry.map(Number));
    return code.call("smooth friction").Q.a.slice();
  }
  // Of frictions under reactions, whether each is dry; `smooth`: slots that are not.
  isDry(smooth) { const names = new Set(this.slots.filter((_, k) => !smooth.includes(k)).map((s) => s.element)); return this.data.frictions.map((name) => names.has(name)); }
  complianceOf(M, g) { return g.reduce((s, x, j) => s + (x * x) / (M[j][j] > 0 ? M[j][j] : this.data.typical_mass), 0) || 1; }
  rowsIn({ closed, stuck }) {
    const base = this.data.rows.length, first = base + this.impacts.length;
    return [...range(base), ...closed.map((k) => base + k), ...stuck.flatMap((k) => range(this.slots[k].size, first + this.at[k]))];
  }
  // Forces of slots that slide, or give all they have, at loads N; `first`: where rows of slots begin.
  rubbing(t, y, e, mode) {
    const { nq, nv } = this.machine, first = this.data.rows.length + this.impacts.length, v = y.subarray(nq, nq + nv), [numbers] = this.numbers(t, y), D = e.J.slice(first), speeds = D.map((row, i) => dot(row, v) - e.nu[first + i]);
    const moving = range(this.slots.length).filter((k) => !mode.stuck.includes(k) && !mode.smooth.includes(k) && (this.slots[k].impact < 0 || mode.closed.includes(this.slots[k].impact)));
    const at = (N) => {
      const F = new Float64Array(D.length);
      for (const k of moving) {
        const [mu, fixed, level, viscous] = numbers[k], own = speeds.slice(this.at[k], this.at[k] + this.slots[k].size), speed = norm(own) || 1, full = mode.full.includes(k);
        own.forEach((x, i) => {
          const sense = mode.senses[this.at[k] + i];
          F[this.at[k] + i] = full ? -(fixed * N[k] + level) * sense : -((own.length === 1 ? sense : x / speed) * (mu * N[k] + level) + viscous * x);
        });
      }
      return F;
    };
    // those of slots that stick follow from the multipliers of all rows
    const all = (lam, N) => { const F = at(N); for (const k of mode.stuck) for (let i = this.at[k]; i < this.at[k] + this.slots[k].size; i++) F[i] = mode.senses[i] - lam[first + i]; return F; };
    return { D, moving, at, all };
  }
  // The same as `inMode` by the compiled motion, where multipliers are unique.
  compiled(t, y, form) {
    if (form.data.regular) return this.inMode(t, y, form.mode);
    const { vdot, lam } = form.answer(t, y), e = this.every(t, y), all = new Float64Array(e.J.length), { D, all: forces } = this.rubbing(t, y, e, form.mode);
    this.rowsIn(form.mode).forEach((i, k) => { all[i] = lam[k]; });
    return { vdot, lam: all, F: forces(all, this.loads(t, y, all)), D };
  }
  // Accelerations, multipliers of all rows, forces and loads of all slots in a mode.
  inMode(t, y, mode = this.now, responses = (...x) => new Response(...x)) {
    const e = this.every(t, y), rows = this.rowsIn(mode), first = this.data.rows.length + this.impacts.length, { scale } = this.machine, isDry = this.isDry(mode.smooth), { D, moving, at: rubbing, all: forces } = this.rubbing(t, y, e, mode);
    const weights = rows.map((i) => { const k = this.at.findLastIndex((at) => i - first >= at), w = i < first ? 0 : mode.weights[k]; return w > 0 ? w : this.complianceOf(e.M, e.J[i]); });
    const response = responses(e.M, rows.map((i) => e.J[i]), scale, weights), gamma = Float64Array.from(rows, (i) => e.gamma[i]);
    const spread = (lam) => { const out = new Float64Array(e.J.length); rows.forEach((i, k) => { out[i] = lam[k]; }); return out; };
    const solve = (force) => response.of(force, gamma), under = (lam) => {
      const all = spread(lam), F = rubbing(this.loads(t, y, all));
      let force = D.reduce((s, row, i) => (F[i] ? plus(s, row, F[i]) : s), e.force);
      if (isDry.some((x) => !x)) force = plus(force, this.smooth(t, y, all.slice(0, this.data.rows.length), isDry));
      return solve(force);
    };
    let [vdot, lam] = solve(e.force);
    const count = moving.length + isDry.filter((x) => !x).length;
    if (count) [vdot, lam] = under(fixedPoint((x) => under(x)[1], lam, count));
    const all = spread(lam), N = this.loads(t, y, all);
    return { vdot, lam: all, F: forces(all, N), N, D, M: e.M };
  }
  accelerations(t, y) { return this.inMode(t, y).vdot; }
  // Of each slot, what falls through zero where it slips or comes to rest, under forces F and loads N.
  margins(t, y, mode, F, N) {
    const { nq, nv } = this.machine, first = this.data.rows.length + this.impacts.length, { J, nu } = this.every(t, y), [numbers] = this.numbers(t, y), v = y.subarray(nq, nq + nv);
    return this.slots.map(({ impact, size }, k) => {
      if (mode.smooth.includes(k) || mode.full.includes(k) || (impact >= 0 && !mode.closed.includes(impact))) return 1;
      if (mode.stuck.includes(k)) return ((1 + BEYOND) * (numbers[k][1] * N[k] + numbers[k][2])) ** 2 + HOLDS * HOLDS - dot(this.forceOf(k, F), this.forceOf(k, F));
      const speeds = range(size, first + this.at[k]).map((i) => dot(J[i], v) - nu[i]);
      return size === 1 ? mode.senses[this.at[k]] * speeds[0] : dot(speeds, speeds) - mode.rest[k] ** 2;
    });
  }
  // The smallest multipliers of joints under the forces of slots and contacts, with friction by the smooth law where that is left.
  smallest(t, y, terms, vdot, form, pressing, F, D) {
    const isDry = this.isDry(form.mode.smooth), rubbing = D.reduce((s, row, i) => plus(s, row, F[i]), new Float64Array(this.machine.nv)), given = (more) => { this.put(t, y); return smallest(this.machine, this.machine.code.call("terms"), vdot, form.closed, pressing, more); };
    if (isDry.every(Boolean)) return given(rubbing);
    return fixedPoint((lam) => given(plus(rubbing, this.smooth(t, y, lam, isDry))), given(rubbing), isDry.length);
  }
  // Channels of slots tell the forces of this mode; those of prescribed motions have theirs by the smooth law.
  tellFriction(reactions, F, { smooth }) {
    const told = range(this.slots.length).filter((k) => !smooth.includes(k));
    for (const k of told) for (const at of this.slots[k].forces) reactions[at] = 0;
    for (const k of told) this.slots[k].forces.forEach((at, i) => { reactions[at] += F[this.at[k] + i]; });
  }
  // v+ of the least kinetic energy with which rows have their rates; further rows change theirs.
  jump(t, y, rows, more = [], change = []) {
    const { nq, nv, scale } = this.machine, { M, J, nu } = this.every(t, y), v = y.slice(nq, nq + nv), gap = [...rows.map((i) => nu[i] - dot(J[i], v)), ...change];
    const [step] = new Saddle(M, [...rows.map((i) => J[i]), ...more], scale).solve(null, gap), now = plus(v, step), out = y.slice();
    out.set(now, nq);
    out[out.length - 1] += 0.5 * (dot(now, times(M, now)) - dot(v, times(M, v)));
    return out;
  }
  without(t, y, closed) { return this.jump(t, y, this.rowsIn({ ...this.now, closed })); }
  // The rows of the speeds at which contacts slide that rub, and whose they are: numbers within `at`, numbers of rows behind it.
  across(t, y, at) {
    const { J } = this.every(t, y), first = this.data.rows.length + this.impacts.length, [numbers] = this.numbers(t, y), rows = [], cones = [];
    this.slots.forEach(({ impact, size }, k) => {
      if (impact < 0 || !at.includes(impact)) return;
      cones.push({ gap: at.indexOf(impact), slip: range(size, at.length + rows.length), mu: numbers[k][0] });
      rows.push(...range(size, first + this.at[k]).map((i) => J[i]));
    });
    return [rows, cones];
  }
}

// The speeds with which slots of several speeds begin to move, the largest one.
function mechanism(space, found, ways, parts) {
  const rows = parts.flat(), r = rows.map((i) => found.r[i]), n = rows.length;
  if (Math.max(...rows.map((i, k) => Math.abs(r[k]) / Math.sqrt(space.own[i]))) > ACCELERATES * space.largest) { const most = largest(r); return r.map((x) => x / most); }
  const W = sub(space.W, rows), starts = parts.map((_, k) => sum(parts.slice(0, k).map((x) => x.length)));
  const own = (k) => W.slice(starts[k], starts[k] + parts[k].length), B = ways.map((u, k) => own(k).reduce((s, row, i) => plus(s, row, u[i]), new Float64Array(n))), A = ways.flatMap((u, k) => own(k).map((row, i) => plus(row, B[k], -u[i])));
  const square = (rowsOfOne) => { const out = zeros(n, n); for (const row of rowsOfOne) for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[i][j] += row[i] * row[j]; return out; };
  const BB = square(B), trace = sum(range(n).map((i) => BB[i][i])), C = cholesky(BB.map((row, i) => row.map((x, j) => x + (i === j ? 1e-9 * trace : 0)))), lower = C.map((row) => row.slice(0, n));
  const forward = (b) => lowerSolve(lower, b, n), backward = (b) => upperSolve(lower, Float64Array.from(b), n);  // C x = b, C^T x = b
  const columns = transposed(square(A), n).map(forward), middle = transposed(columns, n).map(forward), { values, vectors } = eigen(middle);
  const p = backward(vectors[values.indexOf(Math.min(...values))]), speeds = times(W, p), way = sum(B.map((b) => dot(b, p))) < 0 ? -1 : 1, most = largest(speeds);
  return Array.from(speeds, (x) => (way * x) / most);
}

const rubs = (t, element) => new Trouble([element], `${element} sticks and slips again and again at t = ${short(t)}: a body turns about a point where it rubs, too slowly to tell whether it moves`, "let fewer points rub, give friction with stick=False, or looser tolerances");
const paradox = (t, names) => new Trouble(names, `at t = ${short(t)} no forces of contacts and dry friction agree with the motion (Painleve's paradox)`, "give less mu, a contact with stiffness k, or friction with stick=False");
const shared = (t, names) => new Trouble(names, `at t = ${short(t)} more contacts stick at once than hold the bodies, and which of them give way first depends on what is not told: their friction is not unique`, "let fewer contacts rub, or give their friction to one of them");
