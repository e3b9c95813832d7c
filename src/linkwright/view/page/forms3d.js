// Forms in space: boxes with round edges, turned parts, threads, wheels with teeth, tyres. Turned parts have their axis along y, as
// the cylinders of three.js do.

// A box whose edges are round: the grid of a cube, whose outer cells go round the edges and whose middle ones are the sides.
function roundBox([a, b, c], radius, cells = 3) {
  const r = Math.min(radius, 0.49 * a, 0.49 * b, 0.49 * c), n = 2 * cells + 1, form = new THREE.BoxGeometry(1, 1, 1, n, n, n);
  const { position, normal } = form.attributes, half = [a / 2 - r, b / 2 - r, c / 2 - r], p = new THREE.Vector3(), out = new THREE.Vector3();
  for (let k = 0; k < position.count; k++) {
    p.fromBufferAttribute(position, k);
    // beyond the middle cell: the direction from the corner of the inner box
    ["x", "y", "z"].forEach((i) => { out[i] = Math.sign(p[i]) * Math.max(0, Math.abs(p[i]) - 0.5 / n); });
    out.normalize();
    normal.setXYZ(k, out.x, out.y, out.z);
    position.setXYZ(k, ...["x", "y", "z"].map((i, m) => Math.sign(p[i]) * half[m] + out[i] * r));
  }
  return form;
}

// Turned: radius and height of the profile, from below; each edge has its own normals, so that bevels are seen.
function turned(profile, facets) {
  const points = profile.flatMap((p, k) => (k && k < profile.length - 1 ? [p, p] : [p])).map(([r, h]) => new THREE.Vector2(r, h));
  const form = new THREE.LatheGeometry(points, facets), { position, normal } = form.attributes, rows = points.length;
  for (let k = 0; k < position.count; k++) {
    const j = k % rows, i = j % 2 ? j - 1 : j, d = points[i + 1].clone().sub(points[i]).normalize(), a = (Math.floor(k / rows) / facets) * TURN;
    normal.setXYZ(k, d.y * Math.sin(a), -d.x, d.y * Math.cos(a));
  }
  return form;
}
// A drum with bevelled edges, and a ring.
function drumForm(r, length, facets, bevel = 0.12) {
  const e = Math.min(bevel * r, 0.3 * length), h = length / 2;
  return turned([[0, -h], [r - e, -h], [r, -h + e], [r, h - e], [r - e, h], [0, h]], facets);
}
function ringForm(inner, outer, length, facets) {
  const e = 0.16 * (outer - inner), h = length / 2;
  return turned([[inner, h - e], [inner, -h + e], [inner + e, -h], [outer - e, -h], [outer, -h + e], [outer, h - e], [outer - e, h], [inner + e, h], [inner, h - e]], facets);
}
// A tyre and its rim.
function tyreForms(r, width, facets) {
  const w = width / 2, bead = 0.66 * r, round = [];
  for (let k = 0; k <= 12; k++) {  // from the bead over the tread, a blunt arc
    const a = (k / 12) * Math.PI, c = Math.cos(a), s = Math.sin(a);
    round.push([bead + (r - bead) * Math.sign(s) * Math.abs(s) ** 0.45, -w * Math.sign(c) * Math.abs(c) ** 0.55]);
  }
  const rubber = new THREE.LatheGeometry(round.map(([x, y]) => new THREE.Vector2(x, y)), facets);
  const rim = turned([[0, -0.3 * w], [0.2 * r, -0.3 * w], [0.26 * r, -0.12 * w], [0.52 * r, -0.12 * w], [bead, -0.8 * w], [bead, 0.8 * w], [0.52 * r, 0.12 * w], [0.26 * r, 0.12 * w], [0.2 * r, 0.3 * w], [0, 0.3 * w]], facets);
  return [rubber, rim];
}

// A thread along y: a ridge that goes round; of this pitch, right-handed.
function threadForm(r, length, pitch, wire) {
  const turns = Math.min(60, length / pitch), points = [], n = Math.max(24, Math.round(turns * 18));
  for (let k = 0; k <= n; k++) {
    const a = (k / n) * turns * TURN;
    points.push(new THREE.Vector3(r * Math.cos(a), (k / n - 0.5) * turns * pitch, -r * Math.sin(a)));
  }
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), n, wire, 5);
}

// A wheel with teeth about z, one on the x axis turned by `stand`, from z = 0 to its width; taper: of bevel gears, how much smaller the far side is.
function gearForm(w, width, taper, bevel) {
  const r = Math.abs(w.radius), m = w.module, c = Math.cos(w.stand), s = Math.sin(w.stand), at = ([x, y]) => new THREE.Vector2(c * x - s * y, s * x + c * y);
  const teeth = toothed(w.teeth, r, m, w.radius < 0).map(at), circle = (radius, x = 0, y = 0) => new THREE.Path().absarc(x, y, radius, 0, TURN, true);
  const shape = w.radius < 0 ? new THREE.Shape().absarc(0, 0, r + 2.75 * m, 0, TURN, false) : new THREE.Shape(teeth), inside = r - 2.1 * m, hub = 0.26 * r;
  if (w.radius < 0) shape.holes.push(new THREE.Path(teeth.slice().reverse()));
  else if (!taper && inside > 2.2 * hub) {
    const middle = (inside + hub) / 2, size = Math.min(0.38 * (inside - hub), 0.65 * middle * Math.sin(Math.PI / 5));
    for (let k = 0; k < 5; k++) shape.holes.push(circle(size, middle * Math.cos((k * TURN) / 5), middle * Math.sin((k * TURN) / 5)));
  }
  const form = new THREE.ExtrudeGeometry(shape, { depth: width - 2 * bevel, bevelEnabled: bevel > 0, bevelThickness: bevel, bevelSize: bevel, bevelOffset: -bevel, bevelSegments: 1, curveSegments: 24 });
  form.translate(0, 0, bevel);
  if (!taper) return form;
  const p = form.attributes.position;
  for (let k = 0; k < p.count; k++) { const f = 1 - (taper * p.getZ(k)) / width; p.setXYZ(k, f * p.getX(k), f * p.getY(k), p.getZ(k)); }
  form.computeVertexNormals();
  return form;
}
