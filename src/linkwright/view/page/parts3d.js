// Solids in space from which bodies and signs are made. Materials are by name of a colour, so that a theme can change them.

class Parts {
  constructor(u, many) {
    Object.assign(this, { u, many });
    this.materials = new Map();
    this.forms = new Map();
  }
  // Facets around something of this radius: so many that its outline is round on the screen; of many parts each is small.
  facets(r) { return this.many ? 12 : r > 2.4 * this.u ? 48 : r > 0.6 * this.u ? 28 : 12; }
  // Parts of one size share their form.
  form(kind, r, make) {
    const key = `${kind} ${r}`;
    if (!this.forms.has(key)) this.forms.set(key, make(this.facets(r)));
    return this.forms.get(key);
  }

  // Painted bodies, metal for joints, rubber. Where the processor has to draw, all of them are simple.
  material(colour, options = {}) {
    const finish = colour === STEEL || colour === DARK ? { metalness: 0.75, roughness: 0.34, envMapIntensity: 1.05 } : colour === RUBBER ? { metalness: 0, roughness: 0.9, envMapIntensity: 0.7 } : { metalness: 0.05, roughness: 0.45, envMapIntensity: 0.62 };
    const make = () => (this.modest ? new THREE.MeshPhongMaterial({ shininess: colour === RUBBER ? 8 : 40, specular: 0x1c1c1c, ...options }) : new THREE.MeshStandardMaterial({ ...finish, ...options }));
    return this.kept(colour + JSON.stringify(options), colour, make);
  }
  line(colour, options = {}) { return this.kept(`line ${colour} ${JSON.stringify(options)}`, colour, () => new THREE.LineBasicMaterial(options)); }
  // Of this colour where the sun shines on it from above, with an opacity of each vertex; in the shadow not quite dark.
  ground(colour) {
    const m = this.kept(`ground ${colour}`, colour, () => new THREE.MeshLambertMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    const light = lightOf(this.modest);
    m.userData.glow = this.modest ? 0 : 0.5;
    m.userData.bright = (1 - m.userData.glow) / (light.sky + light.sun * SUN.z + light.above);
    return m;
  }
  kept(key, colour, make) {
    if (!this.materials.has(key)) {
      const m = make();
      m.userData.colour = colour;
      this.materials.set(key, m);
    }
    return this.materials.get(key);
  }
  // Of vertices that have their colours, with the finish of a material.
  skin(key, like) {
    this.skins ??= new Map();
    if (!this.skins.has(key)) this.skins.set(key, Object.assign(like.clone(), { vertexColors: true, color: new THREE.Color(0xffffff) }));
    return this.skins.get(key);
  }
  recolour() {
    for (const m of this.materials.values()) {
      const { colour, bright = 1, glow } = m.userData;
      m.color.set(resolved(colour)).convertSRGBToLinear();
      if (glow) m.emissive.copy(m.color).multiplyScalar(glow);
      m.color.multiplyScalar(bright);
      if (m.emissive && !m.depthTest) m.emissive.copy(m.color).multiplyScalar(0.45);  // arrows: seen on dark bodies too
    }
  }

  mesh(geometry, colour, options) {
    const mesh = new THREE.Mesh(geometry, this.material(colour, options));
    mesh.castShadow = true;
    mesh.receiveShadow = !this.modest;
    return mesh;
  }
  ball(at, r, colour) {
    const m = this.mesh(this.form("ball", r, (n) => new THREE.SphereGeometry(r, n, n / 2)), colour);
    m.position.set(...at);
    return m;
  }
  // three.js has its cylinders along y; ours run from a to b.
  rod(a, b, r, colour, options) {
    const m = this.mesh(this.form("rod", r, (n) => new THREE.CylinderGeometry(r, r, 1, n)), colour, options);
    stretch(m, new THREE.Vector3(...a), new THREE.Vector3(...b));
    return m;
  }
  // A turned part about the y axis, its middle at a place: drum or ring (with its inner radius).
  turn(kind, r, length, colour, at = [0, 0, 0], inner = 0) {
    const m = this.mesh(this.form(`${kind} ${length} ${inner}`, r, (n) => (kind === "ring" ? ringForm(inner, r, length, n) : drumForm(r, length, n))), colour);
    m.position.set(...at);
    return m;
  }
  drum(at, axis, r, length, colour) { return along(this.turn("drum", r, length, colour, at), axis); }
  ring(at, axis, inner, r, length, colour) { return along(this.turn("ring", r, length, colour, at, inner), axis); }
  box(at, axes, sizes, colour) {
    const m = this.mesh(roundBox(sizes, Math.min(0.5 * this.u, 0.16 * Math.min(...sizes)), this.many ? 1 : 3), colour);
    const [x, y, z] = axes.map((a) => new THREE.Vector3(...a));
    m.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, y, z));
    m.position.set(...at);
    return m;
  }
  polyline(points, colour, closed = false) {
    const list = points.map((p) => new THREE.Vector3(...p));
    if (closed) list.push(list[0].clone());
    return new THREE.Line(new THREE.BufferGeometry().setFromPoints(list), this.line(colour));
  }
  // A line that is thick enough to be a part.
  tube(points, r, colour, closed) {
    const curve = new THREE.CatmullRomCurve3(points.map((p) => new THREE.Vector3(...p)), closed);
    return this.mesh(new THREE.TubeGeometry(curve, 2 * points.length, r, 8, closed), colour);
  }
  surface(vertices, faces, colour) {
    const geometry = new THREE.BufferGeometry(), corners = faces.flat();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners.flatMap((k) => vertices[k]), 3));
    geometry.setAttribute("normal", new THREE.Float32BufferAttribute(creased(vertices, faces), 3));
    return this.mesh(geometry, colour, { side: 2 });
  }
}

// Normals of the corners of triangles: smooth over what is meant to be round, not over edges (more than 40 degrees).
function creased(vertices, faces) {
  const normals = faces.map((f) => {
    const [a, b, c] = f.map((k) => new THREE.Vector3(...vertices[k]));
    return b.sub(a).cross(c.sub(a));  // as long as twice the area: larger triangles count more
  });
  const units = normals.map((n) => n.clone().normalize()), at = (k) => vertices[k].join(" "), around = new Map();
  faces.forEach((f, i) => f.forEach((k) => { if (!around.has(at(k))) around.set(at(k), []); around.get(at(k)).push(i); }));
  return faces.flatMap((f, i) => f.flatMap((k) => {
    const sum = new THREE.Vector3();
    for (const j of around.get(at(k))) if (units[i].dot(units[j]) > Math.cos((40 * Math.PI) / 180)) sum.add(normals[j]);
    return (sum.lengthSq() > 0 ? sum.normalize() : units[i]).toArray();
  }));
}

// Parts of a group that stay as they are to each other and are of one material become one: each that is drawn costs time in every
// picture, twice with its shadow. The group stands at the origin yet.
function weld(group) {
  const alike = new Map();
  group.updateMatrixWorld(true);
  group.traverse((m) => { if (m.isMesh) alike.set(m.material, [...(alike.get(m.material) ?? []), m]); });
  for (const [material, list] of alike) {
    if (list.length < 2) continue;
    const numbers = { position: [], normal: [] }, corners = [];
    for (const m of list) {
      const form = m.geometry.clone().applyMatrix4(m.matrixWorld), first = numbers.position.length / 3;
      for (const [name, all] of Object.entries(numbers)) for (const x of form.attributes[name].array) all.push(x);
      const own = form.index?.array ?? form.attributes.position.array.subarray(0, form.attributes.position.count).map((_, k) => k);
      for (const k of own) corners.push(first + k);
      m.removeFromParent();
    }
    const form = new THREE.BufferGeometry();
    for (const [name, all] of Object.entries(numbers)) form.setAttribute(name, new THREE.Float32BufferAttribute(all, 3));
    form.setIndex(corners);
    const { castShadow, receiveShadow } = list[0];
    group.add(Object.assign(new THREE.Mesh(form, material), { castShadow, receiveShadow }));
  }
}

function stretch(mesh, a, b) {
  const d = b.clone().sub(a), l = d.length() || 1e-9;
  mesh.position.copy(a).addScaledVector(d, 0.5);
  mesh.scale.set(1, l, 1);
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), d.divideScalar(l));
}

function along(mesh, axis) {
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...axis).normalize());
  return mesh;
}

function resolved(colour) {
  const probe = html("span");
  probe.style.color = colour;
  document.body.append(probe);
  const out = getComputedStyle(probe).color;
  probe.remove();
  return out;
}

// Axes with z along a direction.
function basis(z) {
  const h = new THREE.Vector3(...z).normalize(), help = Math.abs(h.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
  const x = help.cross(h).normalize(), y = h.clone().cross(x);
  return [x.toArray(), y.toArray(), h.toArray()];
}

// The shortest net of rods through all points of a body.
function net(points) {
  const joined = [0], rods = [], left = points.map((_, k) => k).slice(1);
  const gap = (a, b) => Math.hypot(...points[a].map((x, i) => x - points[b][i]));
  while (left.length) {
    let best = [joined[0], left[0]];
    for (const a of joined) for (const b of left) if (gap(a, b) < gap(...best)) best = [a, b];
    rods.push(best);
    joined.push(best[1]);
    left.splice(left.indexOf(best[1]), 1);
  }
  return rods;
}

function shape3d(parts, s, colour) {
  if (s.kind === "sphere") return parts.ball(s.at, s.size[0], colour);
  if (s.kind === "cylinder") return parts.drum(s.at, s.axis, s.size[0], s.size[1], colour);
  if (s.kind === "box") return parts.box(s.at, s.axis[2] === 1 ? [[1, 0, 0], [0, 1, 0], [0, 0, 1]] : basis(s.axis), s.size, colour);
  const m = parts.surface(s.size.vertices, s.size.faces, colour);
  m.position.set(...s.at);
  return m;
}

// A given cylinder that stands for a wheel with teeth, or for one that rolls: about the same place, of about the same radius.
const about3d = (s, at, radius, less = 0.85) => s.kind === "cylinder" && Math.hypot(...s.at.map((x, i) => x - at[i])) < 0.2 * Math.abs(radius) && s.size[0] < 1.15 * Math.abs(radius) && s.size[0] > less * Math.abs(radius);

function tyre3d(parts, s, colour) {
  const wide = Math.max(s.size[1], 0.08 * s.size[0]), [rubber, rim] = tyreForms(s.size[0], wide, parts.many ? 24 : 48);
  return [[rubber, RUBBER, { side: 2 }], [rim, STEEL], [drumForm(0.16 * s.size[0], 0.7 * wide, 24), colour]].map(([form, own, options]) => {
    const m = along(parts.mesh(form, own, options), s.axis);
    m.position.set(...s.at);
    return m;
  });
}

function body3d(parts, body, drawing, u, colour, wheels = []) {
  const rolling = drawing.elements.filter((e) => (e.kind === "Tyre" || e.kind === "Rolling") && e.ends[0]?.body === body.name);
  const gears = wheels.filter((w) => w.radius).map((w) => gear3d(parts, w, u, colour, body.shapes.find((s) => about3d(s, w.end.at, w.radius))?.size[1]));
  if (body.shapes.length) {
    const left = body.shapes.filter((s) => !wheels.some((w) => about3d(s, w.end.at, w.radius)));
    return [...gears, ...left.flatMap((s) => (rolling.some((e) => about3d(s, e.ends[0].at, e.radius)) ? tyre3d(parts, s, colour) : [shape3d(parts, s, colour)]))];
  }
  const out = [...gears], points = body.points.length ? body.points : [body.com];
  for (const [a, b] of net(points)) out.push(parts.rod(points[a], points[b], 0.85 * u, colour));
  for (const p of points) out.push(parts.ball(p, 0.85 * u, colour));
  const slide = drawing.elements.find((e) => e.kind === "Translational" && (e.ends[1].body === "ground" ? e.ends[0] : e.ends[1]).body === body.name);
  if (slide) {
    const end = slide.ends[1].body === "ground" ? slide.ends[0] : slide.ends[1];
    out.push(parts.box(end.at, end.axes, [3.8 * u, 3.8 * u, 6 * u], colour));
  } else if (points.length === 1 && !gears.length) out.push(parts.ball(points[0], 2 * u, colour));
  for (const c of drawing.curves.filter((k) => k.body === body.name)) out.push(parts.tube(c.points, 0.3 * u, colour, c.closed));
  return out;
}
