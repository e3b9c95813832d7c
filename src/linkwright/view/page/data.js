// Numbers of the page: decoding, and values between frames.

function decode(base64, Type) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new Type(bytes.buffer);
}

class Motion {
  constructor(data, dimension) {
    this.dimension = dimension;
    this.width = dimension === 2 ? 3 : 7;
    this.take(data);
  }
  take(data) {
    this.t = decode(data.t, Float64Array);
    this.poses = new Map(Object.entries(data.poses).map(([name, text]) => [name, decode(text, Float32Array)]));
    this.channels = new Map(data.channels.map((c) => [c.name, { name: c.name, unit: c.unit, values: decode(c.data, Float32Array) }]));
  }
  // By which of so many samples sizes are judged: near a dead point speeds and forces grow without bounds.
  judged(count) { return this.sure && count === this.t.length ? this.sure : [0, count - 1]; }
  get start() { return this.t[0]; }
  get end() { return this.t[this.t.length - 1]; }

  // Between which frames a time is: frame k and the share w of the next. `still`: a moment that is shown whatever the time is.
  place(time) {
    if (this.still) return this.still;
    const t = this.t;
    let low = 0, high = t.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle; else high = middle;
    }
    const gap = t[high] - t[low];
    return { k: low, next: high, w: gap > 0 ? Math.min(1, Math.max(0, (time - t[low]) / gap)) : 0 };
  }

  value(name, at) {
    const v = this.channels.get(name)?.values;
    return v ? v[at.k] + at.w * (v[at.next] - v[at.k]) : NaN;
  }

  // Coordinates of a body: (x, y, angle), or (x, y, z, e0, e1, e2, e3) of unit length.
  pose(body, at) {
    const all = this.poses.get(body), n = this.width;
    if (!all) return n === 3 ? [0, 0, 0] : [0, 0, 0, 1, 0, 0, 0];
    const a = at.k * n, b = at.next * n, out = new Array(n);  // this is asked hundreds of times a picture
    for (let i = 0; i < n; i++) out[i] = all[a + i] + at.w * (all[b + i] - all[a + i]);
    if (n === 7) {
      let dot = 0;
      for (let i = 3; i < 7; i++) dot += all[a + i] * all[b + i];
      let length = 0;
      for (let i = 3; i < 7; i++) {  // p and -p are one orientation: take the nearer
        out[i] = all[a + i] * (1 - at.w) + (dot < 0 ? -all[b + i] : all[b + i]) * at.w;
        length += out[i] * out[i];
      }
      length = Math.sqrt(length) || 1;
      for (let i = 3; i < 7; i++) out[i] /= length;
    }
    return out;
  }

  direction(body, v, at) { return this.turned(this.pose(body, at), v); }
  turned(q, v) {
    if (this.width === 3) {
      const c = Math.cos(q[2]), s = Math.sin(q[2]);
      return [c * v[0] - s * v[1], s * v[0] + c * v[1]];
    }
    const [, , , e0, e1, e2, e3] = q, e = [e1, e2, e3], along = e1 * v[0] + e2 * v[1] + e3 * v[2];
    const cross = [e2 * v[2] - e3 * v[1], e3 * v[0] - e1 * v[2], e1 * v[1] - e2 * v[0]];
    return v.map((x, i) => (2 * e0 * e0 - 1) * x + 2 * along * e[i] + 2 * e0 * cross[i]);
  }

  point(body, s, at) {
    const q = this.pose(body, at);
    const out = this.turned(q, s);
    for (let i = 0; i < out.length; i++) out[i] += q[i];
    return out;
  }
  // A place of the world in the axes of a body.
  within(body, p, at) {
    const q = this.pose(body, at), [, , a, e0, e1, e2, e3] = q;
    return this.turned(this.width === 3 ? [0, 0, -a] : [0, 0, 0, e0, -e1, -e2, -e3], Array.from(p, (x, i) => x - q[i]));
  }
  // The middle between two ends.
  between(i, j, at) {
    const other = this.point(j.body, j.at, at);
    return this.point(i.body, i.at, at).map((x, k) => 0.5 * (x + other[k]));
  }
}

// Six digits, as short as may be.
function shown(x) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size >= 1e6 || size < 1e-4 ? Number(x.toPrecision(4)).toExponential() : String(Number(x.toPrecision(6)));
}

// Three digits and a prefix of the unit: 229 kN, 50 mm.
const PREFIXES = ["p", "n", "µ", "m", "", "k", "M", "G", "T"];

function measured(x, unit) {
  if (!Number.isFinite(x)) return "–";
  const rounded = Number(x.toPrecision(3));
  if (rounded === 0) return `0 ${unit}`;
  const e = Math.min(4, Math.max(-4, Math.floor(Math.log10(Math.abs(rounded)) / 3 + 1e-9)));
  return `${Number((rounded / 1000 ** e).toPrecision(3))} ${PREFIXES[e + 4]}${unit}`;
}

// Of 1, 2 and 5 times a power of ten: the nearest, or the largest that is not above.
function niceStep(wanted) {
  const e = 10 ** Math.floor(Math.log10(wanted)), m = wanted / e;
  return e * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
function niceBelow(wanted) {
  const e = 10 ** Math.floor(Math.log10(wanted) + 1e-9), m = wanted / e + 1e-9;
  return e * (m < 2 ? 1 : m < 5 ? 2 : 5);
}

// What of the numbers of a motion is rounding, and in which unit a channel is told. A value is judged by the largest of its unit, a
// torque also by the forces and lengths there are, a speed by the lengths and the time.
const ROUNDING = 1e-10;
const LARGE = ["N", "N m", "J", "W", "Pa"], SMALL = [...LARGE, "m", "m/s", "m/s^2"];  // which have prefixes for large and for small numbers

class Measures {
  constructor(motion) { this.motion = motion; }

  get largest() {
    const { motion } = this;
    if (this.known === motion.channels) return this.kept;  // another solution brings other channels
    const all = new Map();
    for (const c of motion.channels.values()) all.set(c.unit, Math.max(all.get(c.unit) ?? 0, this.of(c)));
    const span = motion.end - motion.start || 1, at = (unit) => all.get(unit) ?? 0, more = (unit, x) => all.set(unit, Math.max(at(unit), x));
    more("rad", 1);
    for (const [unit, base] of [["m", at("m")], ["rad", at("rad")]]) { more(`${unit}/s`, base / span); more(`${unit}/s^2`, base / span ** 2); }
    more("N m", at("N") * at("m"));
    more("J", at("N") * at("m"));
    more("W", at("J") / span);
    this.known = motion.channels;
    this.kept = all;
    return all;
  }
  of(channel) {
    const { values } = channel, [from, to] = this.motion.judged(values.length);
    let size = 0;
    for (let k = from; k <= to; k++) { const x = Math.abs(values[k]); if (x > size && x < Infinity) size = x; }
    return size;
  }
  clean(x, unit) { return Math.abs(x) <= ROUNDING * (this.largest.get(unit) ?? 0) ? 0 : x; }

  // A divisor and the unit with its prefix, for numbers up to this size.
  scale(unit, size) {
    if (!(size > ROUNDING * (this.largest.get(unit) ?? 0))) return { by: 1, unit };
    const e = (LARGE.includes(unit) && size >= 1e4) || (SMALL.includes(unit) && size < 1e-2) ? Math.min(4, Math.max(-4, Math.floor(Math.log10(size * (1 + 1e-9)) / 3))) : 0;
    return { by: 1000 ** e, unit: `${PREFIXES[e + 4]}${unit}` };
  }
  text(x, unit, { by }) { return shown(this.clean(x, unit) / by); }
}
