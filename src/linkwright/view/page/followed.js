// Points of bodies that are followed: their names, and channels of their own: place, velocity and speed, acceleration.

const LETTERS = "PQRSTUVW";

class Followed {
  constructor(page, motion) {
    Object.assign(this, { page, motion, maps: [] });
    for (const p of page.traces) p.name ??= this.letter();
  }
  // P, Q, ... W, P2, ...: what nothing is called by yet.
  letter() {
    const { drawing, traces } = this.page, known = new Set([...drawing.bodies, ...drawing.elements, ...traces].map((x) => x.name));
    for (let k = 0; ; k++) {
      const name = LETTERS[k % 8] + (k < 8 ? "" : 1 + (k >> 3));
      if (!known.has(name)) return name;
    }
  }
  add(body, at) {
    const point = { body, at, name: this.letter(), picked: true };
    this.page.traces.push(point);
    for (const channels of this.maps) this.tell(channels);
    return point;
  }

  // Their channels beside those of the bodies, and in these maps later on, too.
  tell(...maps) {
    if (maps.length > 1) this.maps = maps;
    for (const channels of maps) for (const p of this.page.traces) for (const c of this.of(p, channels)) channels.set(c.name, c);
  }
  of({ body, at, name }, channels) {
    const plane = this.motion.dimension === 2, axes = plane ? ["x", "y"] : ["x", "y", "z"];
    const own = (...names) => { const found = names.map((n) => channels.get(`${body}.${n}`)); return found.every(Boolean) ? found : null; };
    const q = own(...axes, ...(plane ? ["angle"] : ["e0", "e1", "e2", "e3"])), v = q && own(...axes.map((x) => `v${x}`), ...(plane ? ["omega"] : ["wx", "wy", "wz"]));
    const a = v && own(...axes.map((x) => `a${x}`), ...(plane ? ["alpha"] : ["alphax", "alphay", "alphaz"])), n = axes.length;
    if (!q) return [];
    const parts = [...axes.map((x, i) => [x, q[i]]), ...(v ? [...axes.map((x, i) => [`v${x}`, v[i]]), ["speed", v[0]]] : []), ...(a ? axes.map((x, i) => [`a${x}`, a[i]]) : [])];
    const count = q[0].values.length, out = parts.map(([what, { unit }]) => ({ name: `${name}.${what}`, unit, values: new Float64Array(count) }));
    // what is left where terms take each other away is rounding
    const rounding = q[0].values instanceof Float32Array ? 1e-6 : 1e-14;
    const sum = (...terms) => { const x = terms.reduce((s, y) => s + y, 0); return Math.abs(x) <= rounding * terms.reduce((s, y) => s + Math.abs(y), 0) ? 0 : x; };
    const cross = (w, d) => (plane ? [-w[0] * d[1], w[0] * d[0]] : [0, 1, 2].map((i) => w[(i + 1) % 3] * d[(i + 2) % 3] - w[(i + 2) % 3] * d[(i + 1) % 3]));
    for (let k = 0; k < count; k++) {
      const all = (list) => list && list.map((c) => c.values[k]), Q = all(q), V = all(v), A = all(a), ahead = (d) => this.motion.turned(Q, d), row = ahead(at).map((x, i) => sum(Q[i], x));
      if (V) {  // rates of rotation are in body axes
        const w = V.slice(n), turning = cross(w, at), speed = ahead(turning).map((x, i) => sum(V[i], x));
        row.push(...speed, Math.hypot(...speed));
        if (A) { const inward = ahead(cross(w, turning)), along = ahead(cross(A.slice(n), at)); row.push(...along.map((x, i) => sum(A[i], x, inward[i]))); }
      }
      row.forEach((x, i) => { out[i].values[k] = x; });
    }
    return out;
  }
}

// The label of what is at a place all the time, if there is one.
function sharedLabel({ places, motion, size }, where) {
  const frames = someFrames(motion, 3), spots = frames.map(where);
  return [...places.values()].find(({ place, shy }) => !shy && frames.every((at, k) => Math.hypot(...place(at).map((x, i) => x - spots[k][i])) < 1e-6 * size));
}
