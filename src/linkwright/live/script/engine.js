// The compiled loop of an integration method with its registers and its room: from event to event, to wanted times.

const PATIENCE = 400, FIRED = 2n, STUCK_STEP = 1;

class Engine {
  // `own`: its registers and sizes; `shared`: room for output, which all engines of a simulation write into.
  constructor(simulation, loop, own, shared) {
    const { code, data } = simulation, { n } = data, whole = (x) => code.holding(x, BigInt64Array), events = own.count[data.registers.EVENT_ROWS], most = Math.max(own.events, 1);
    Object.assign(this, { simulation, code, loop, n, R: data.registers, shared, own, rows: data.t.length });
    Object.assign(this, {
      none: code.room(1), y: code.room(n), tol: code.holding(own.tol), real: code.holding(own.real), count: whole(own.count), coef: code.holding(own.coef),
      work: code.room(own.work), pivots: whole(new Array(own.pivots).fill(0)), G: code.room(own.values), spare: code.room(own.spare),
      signs: whole(new Array(3 * most).fill(0)), directions: whole(new Array(most).fill(0)), left: whole(new Array(most).fill(0)),
      event_t: code.room(events), event_k: whole(new Array(events).fill(0)), event_y: code.room(events * n),
    });
  }
  get t() { return this.real.a[this.R.T]; }
  get steps() { return Number(this.count.a[this.R.STEPS]); }
  get evaluations() { return Number(this.count.a[this.R.NFEV]); }
  get written() { return Number(this.count.a[this.R.WRITTEN]); }
  // Which function ended the run.
  get terminal() { return Number(this.event_k.a[Number(this.count.a[this.R.EVENT_WRITTEN]) - 1]); }
  reset() { for (const k of ["STEPS", "NFEV", "REJECTED"]) this.count.a[this.R[k]] = 0n; }

  // With the equations of a form from here on: functions, events; nothing is known of earlier steps.
  use(form) {
    const kept = ["STEPS", "NFEV", "REJECTED"].map((k) => [this.R[k], this.count.a[this.R[k]]]);
    this.real.a.set(this.own.real);
    this.count.a.set(this.own.count.map(BigInt));
    for (const [k, x] of kept) this.count.a[k] = x;
    this.work.a.fill(0);
    const { code, count, R, none, shared: s } = this, { motion, projection, events, jacobian } = form.names, [ins, outs] = code.tables[motion], m = form.watched + form.count;
    const out = (name) => (code.has(name) ? code.tables[name][1] : none);
    this.form = form;
    if (form.drifts) this.real.a[R.MAX_STEP] = Math.min(this.real.a[R.MAX_STEP], STUCK_STEP);
    this.args = [motion, jacobian, projection, events, ins, outs, out(jacobian), out(projection), out(events), BigInt(this.n), this.y, this.tol, this.real, this.count, this.coef,
      this.work, this.pivots, s.wanted, s.shown_t, s.shown_y, none, none, none, this.G, this.spare, this.signs, this.directions, this.left, this.event_t, this.event_k, this.event_y];
    count.a[R.EVENTS] = BigInt(m);
    if (!code.has(jacobian)) count.a[R.JACOBIAN] = 0n;
    for (let k = 0; k < m; k++) this.directions.a[k] = k < form.watched ? -1n : 0n;
    for (let k = 0; k < m; k++) this.signs.a[2 * m + k] = BigInt(form.kinks[k - form.watched] ?? false);
  }
  restart(t, y, fired = [], first = 0) {
    const { R, real, count } = this;
    this.y.a.set(y);
    real.a[R.T] = real.a[R.T_OLD] = t;
    real.a[R.H] = first;
    count.a[R.STARTED] = count.a[R.ENDED] = count.a[R.GOES_ON] = 0n;
    this.signs.a.fill(0n, 0, 2 * (this.form.watched + this.form.count));
    for (const k of fired) this.signs.a[k] = FIRED;
  }
  // After an event that has changed nothing: the step in which it was is not over.
  goOn(fired) {
    this.count.a[this.R.GOES_ON] = 1n;
    this.signs.a[fired] = FIRED;
  }
  get fired() { return Array.from({ length: this.form.watched + this.form.count }, (_, k) => k).filter((k) => this.signs.a[k] === FIRED); }

  // Up to so many steps, to the end or to an event; output goes on after `rows`, of as many times as are wanted. `muted`: functions
  // whose events do not end it.
  run(end, flags, rows, wanted, muted = []) {
    const { R, real, count, code, form } = this;
    form.put(real.a[R.T], this.y.a, flags);
    real.a[R.T_END] = end;
    real.a[R.SPAN] = end - real.a[R.T];
    real.a[R.T_SHOWN] = real.a[R.T];
    count.a[R.ENDED] = 0n;
    count.a[R.NEXT] = BigInt(rows - 1);
    count.a[R.WANTED] = BigInt(wanted);
    count.a[R.ROWS] = BigInt(this.rows);
    count.a[R.WRITTEN] = BigInt(rows);
    count.a[R.EVENT_WRITTEN] = 0n;
    this.left.a.fill(1n);
    for (const k of muted) this.left.a[k] = -1n;
    let left = PATIENCE, status;
    do {
      const before = count.a[R.STEPS];
      count.a[R.BUDGET] = BigInt(left);
      status = Number(code.loop(this.loop, this.args));
      left -= Number(count.a[R.STEPS] - before);
      if (status === R.FULL) count.a[R.EVENT_WRITTEN] = 0n;
    } while (status === R.FULL || (status === R.FINE && left > 0));
    return status;
  }
}
