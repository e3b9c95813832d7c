// An explicit method whose step is limited by motions that have died out gives way to Radau; as
// `linkwright.analyses.dynamics.stiffness` has it.

const RATIO = 30, RULED = 0.4, WORTH = 5000, FAINT = 10, GAIN = 4, SQUARINGS = 8;

class Stiffness {
  constructor(simulation, end) { Object.assign(this, { simulation, end, steps: 0, looked: 0, pace: 0, stiff: false }); }

  // Whether the implicit method goes on after a stretch of so many steps from `begin`, at the state of the course.
  after(c, steps, begin) {
    this.steps += steps;
    if (c.t <= begin || !steps) return this.stiff;
    const pace = (c.t - begin) / steps;
    if (this.stiff) {
      if (pace > GAIN * this.pace || !this.pace) return true;
      this.looked = Infinity;  // once is enough
      this.pace = 0;
      return (this.stiff = false);
    }
    if ((this.end - c.t) / pace < WORTH || this.steps < 2 * this.looked) return false;
    this.looked = this.steps;
    const [fast, own] = this.rates(c);
    if (fast * pace < RULED || fast < RATIO * own) return false;
    this.pace = pace;
    return (this.stiff = true);
  }
  // The fastest decay or oscillation of df/dy, by differences, and |y''|/|y'|, both [1/s]; the second zero where y'' shows nothing of
  // the first.
  rates({ t, y, flags, form }) {
    const { data } = this.simulation, f = (at, x) => form.motion(at, x, flags).ydot.a.slice(), f0 = f(t, y), n = y.length, J = zeros(n, n);
    for (let j = 0; j < n; j++) {
      const step = 1e-7 * Math.max(Math.abs(y[j]), 1e-2), near = y.slice();
      near[j] += step;
      f(t, near).forEach((x, i) => { J[i][j] = (x - f0[i]) / step; });
    }
    const fast = radius(J), dt = fast > 0 ? 1e-4 / fast : 1e-6, second = f(t + dt, y.map((x, k) => x + dt * f0[k])).map((x, k) => (x - f0[k]) / dt);
    const size = (z) => Math.sqrt(z.reduce((s, x, k) => s + (data.weight[k] > 0 ? (x / (data.atol + data.rtol * Math.abs(y[k]))) ** 2 : 0), 0));
    const change = size(second), own = size(f0);
    if (change < FAINT * fast ** 2 * Math.sqrt(data.weight.filter((x) => x > 0).length)) return [fast, 0];
    return [fast, own > 0 ? change / own : Infinity];
  }
}

// The largest size of an eigenvalue: of the matrix to the power 2^8, which tells it to a hundredth.
function radius(J) {
  let A = J, log = 0, weight = 1;
  const n = J.length;
  for (let round = 0; round <= SQUARINGS; round++) {
    const size = Math.max(...A.map((row) => Math.sqrt(dot(row, row))));
    if (!(size > 0)) return 0;
    log += weight * Math.log(size);
    A = A.map((row) => row.map((x) => x / size));
    if (round === SQUARINGS) break;
    const columns = transposed(A, n);
    A = A.map((row) => Float64Array.from(columns, (column) => dot(row, column)));
    weight /= 2;
  }
  return Math.exp(log);
}
