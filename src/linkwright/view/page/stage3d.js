// The machine in space, by three.js: one group a body; rods, springs and arrows placed anew each time.

const REACH_FORCE = 0.3, REACH_TORQUE = 0.2;  // of the size of the machine: the longest arrows

class Stage3D {
  constructor(root, page, motion, pick) {
    Object.assign(this, { root, page, motion, pick, drawing: page.drawing });
    this.show = { names: true, traces: true, forces: true };
    this.forces = scaled(page.motion.arrows, motion);
    this.torques = scaled(page.motion.torques, motion);
    this.parts = new Parts();
    this.live = [];
    this.labels = [];
    this.pickables = [];
    this.selected = [null, null];
    this.traceGroup = new THREE.Group();
    this.arrowGroup = new THREE.Group();
    try {
      this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    } catch (error) {
      root.append(html("p", { className: "hint", textContent: "This browser shows no WebGL: the machine in space cannot be drawn." }));
      return;
    }
    const [low, high] = page.motion.box;
    this.size = Math.hypot(...low.map((x, i) => high[i] - x)) || 1;
    this.u = pinSize(this.drawing, this.size);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
    root.append(this.renderer.domElement);
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.setAttribute("aria-label", `the machine ${page.title} in space`);
    this.build(low, high);
    this.resize();
    this.orbit = new Orbit(this.renderer.domElement, this.camera, this.box(), () => this.render());
    new ResizeObserver(() => { this.resize(); this.render(); }).observe(root);
    this.renderer.domElement.addEventListener("click", (e) => this.clicked(e));
    this.recolour();
  }

  light() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 0.75));
    const sun = new THREE.DirectionalLight(0xffffff, 0.6);
    sun.position.set(0.4, -0.6, 1);
    this.scene.add(sun);
  }

  colour(body) {
    const k = this.drawing.bodies.findIndex((b) => b.name === body);
    return body === "ground" ? STEEL : `var(--c${(k - 1) % 8})`;
  }

  // The page holds another drawing and motion of the same machine.
  renew() {
    if (!this.renderer) return;
    this.drawing = this.page.drawing;
    this.forces = scaled(this.page.motion.arrows, this.motion);
    this.torques = scaled(this.page.motion.torques, this.motion);
    this.scene.traverse((part) => part.geometry?.dispose());
    for (const group of [this.traceGroup, this.arrowGroup, this.scene]) group.remove(...group.children);
    for (const { element } of this.labels) element.remove();
    this.live = [];
    this.labels = [];
    this.pickables = [];
    this.at = null;
    this.build(...this.page.motion.box);
    this.orbit.box = this.box();
    this.select(...this.selected);
    this.recolour();
  }

  // What is to be seen: the machine and its arrows.
  box() {
    const [low, high] = this.page.motion.box, pad = 3 * this.u;
    const tips = (arrows, length) => spread(arrows, this.motion).map(([start, F]) => start.map((x, i) => x + F[i] * length * this.size));
    return hold([low.map((x) => x - pad), high.map((x) => x + pad)], [...tips(this.forces, REACH_FORCE), ...tips(this.torques, REACH_TORQUE)]);
  }

  build(low, high) {
    rings({ list: this.torques.list.filter((f) => f.axis) }, this.motion, this.size);
    this.light();
    this.scene.add(this.traceGroup, this.arrowGroup);
    this.floor(low, high);
    for (const b of this.drawing.bodies) this.addBody(b);
    for (const e of this.drawing.elements) this.addElement(e);
    for (const e of this.drawing.elements) {
      if (e.role === "joint" && e.ends.length === 2 && !e.bodies.includes("ground") && e.kind !== "Distance") this.addTrace(e.ends[1].body, e.ends[1].at, "");
    }
    for (const p of this.page.traces) this.addTrace(p.body, p.at, "own");
    for (const f of this.forces.list) this.addArrow(f, REACH_FORCE / this.forces.largest, 1);
    for (const f of this.torques.list) this.addArrow(f, REACH_TORQUE / this.torques.largest, 2);
  }

  // A grid under the machine, and the axes.
  floor(low, high) {
    const step = niceStep(this.size / 8), z = low[2] - 3 * this.u;
    const span = [0, 1].map((i) => [Math.floor((low[i] - step) / step) * step, Math.ceil((high[i] + step) / step) * step]);
    const lines = [], [[x0, x1], [y0, y1]] = span;
    for (let x = x0; x <= x1 + step / 2; x += step) lines.push(new THREE.Vector3(x, y0, z), new THREE.Vector3(x, y1, z));
    for (let y = y0; y <= y1 + step / 2; y += step) lines.push(new THREE.Vector3(x0, y, z), new THREE.Vector3(x1, y, z));
    this.scene.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(lines), this.parts.line("var(--line)")));
    ["x", "y", "z"].forEach((name, k) => {
      const corner = [low[0], low[1], z], tip = [...corner];
      tip[k] += 5 * this.u;
      this.scene.add(this.parts.rod(corner, tip, 0.22 * this.u, ["var(--c4)", "var(--c2)", "var(--c0)"][k]));
      this.label(name, () => tip, true);
    });
  }

  group(kind, name, body) {
    const g = new THREE.Group();
    g.userData = { kind, name };
    this.scene.add(g);
    this.pickables.push(g);
    if (body !== "ground") this.live.push((at) => {
      const q = this.motion.pose(body, at);
      g.position.set(q[0], q[1], q[2]);
      g.quaternion.set(q[4], q[5], q[6], q[3]);  // three.js has the scalar last
    });
    return g;
  }

  addBody(body) {
    if (body.name === "ground") {
      if (body.shapes.length) this.group("body", "ground", "ground").add(...body.shapes.map((s) => shape3d(this.parts, s, STEEL)));
      for (const c of this.drawing.curves.filter((k) => k.body === "ground")) this.scene.add(this.parts.polyline(c.points, STEEL, c.closed));
      return;
    }
    this.group("body", body.name, body.name).add(...body3d(this.parts, body, this.drawing, this.u, this.colour(body.name)));
    const n = body.points.length, middle = n ? body.com.map((_, i) => body.points.reduce((a, p) => a + p[i] / n, 0)) : body.com;
    this.label(body.name, (at) => this.motion.point(body.name, middle, at));
  }

  addElement(e) {
    if (!e.ends.length) return;
    const { parts, u } = this, last = e.ends[e.ends.length - 1];
    const seat = last.body === "ground" && e.kind === "Translational" ? e.ends[0] : last;
    if (e.kind === "Gear") {
      e.ends.forEach((end, k) => this.group("element", e.name, end.body).add(...gear3d(parts, end, e.radii[k], u, this.colour(end.body))));
      return;
    }
    const own = sign3d(parts, e.kind, seat, u);
    if (own.length) this.group("element", e.name, seat.body).add(...own);
    if (e.kind === "Universal") this.group("element", e.name, e.ends[0].body).add(...sign3d(parts, e.kind, e.ends[0], u));
    for (const end of e.ends) if (end.body === "ground") this.stand(e, end);
    if (["Distance", "Spring", "RevoluteSpherical", "RevoluteRevolute"].includes(e.kind)) this.addRod(e);
  }

  // Ground: a pedestal for a pin, a rail for a slide.
  stand(e, end) {
    const { parts, u } = this, span = this.page.motion.spans[e.name];
    const g = this.group("element", e.name, "ground");
    if (span && end === e.ends[span.line]) {
      const at = (s) => end.at.map((x, i) => x + s * end.axes[2][i]);
      g.add(parts.rod(at(span.from - 6 * u), at(span.to + 6 * u), 0.5 * u, STEEL));
    } else if (e.kind !== "Distance") {
      const axes = e.kind === "Revolute" ? basis(end.axes[2]) : end.axes ?? basis([0, 0, 1]);
      g.add(parts.box(end.at, axes, [3.6 * u, 3.6 * u, 1.8 * u], STEEL));
    }
  }

  addRod(e) {
    const [i, j] = e.ends, g = this.group("element", e.name, "ground");
    const place = e.kind === "Spring" ? new Coil(this.parts, this.u, STEEL) : null;
    const rod = place ? place.line : this.parts.rod([0, 0, 0], [0, 1, 0], 0.45 * this.u, STEEL);
    g.add(rod);
    this.live.push((at) => stretch(rod, new THREE.Vector3(...this.motion.point(i.body, i.at, at)), new THREE.Vector3(...this.motion.point(j.body, j.at, at))));
  }

  addTrace(body, s, own) {
    const points = [];
    for (let k = 0; k < this.motion.t.length; k++) points.push(this.motion.point(body, s, { k, next: k, w: 0 }));
    this.traceGroup.add(this.parts.polyline(points, own ? "var(--accent)" : "var(--trace)"));
    this.recolour();
  }

  // A force has one head, a torque two, along its axis (right-hand rule); scale: lengths of the whole machine a unit.
  addArrow(f, scale, heads) {
    const { u } = this, colour = f.applied ? "var(--applied)" : "var(--force)", seen = { depthTest: false };  // also where it starts inside a body
    const g = new THREE.Group(), shaft = this.parts.rod([0, 0, 0], [0, 1, 0], (heads === 1 ? 0.28 : 0.2) * u, colour, seen);
    const cones = Array.from({ length: heads }, () => this.parts.mesh(new THREE.ConeGeometry(0.8 * u, 2.2 * u, 16), colour, seen));
    g.userData = { kind: "element", name: f.element, arrow: true };
    g.add(shaft, ...cones);
    for (const part of g.children) part.renderOrder = 1;
    this.arrowGroup.add(g);
    this.pickables.push(g);
    this.live.push((at) => {
      const a = new THREE.Vector3(...f.start(at)).add(this.beside(f, at)), F = new THREE.Vector3(...f.value(at)).multiplyScalar(scale * this.size), l = F.length();
      g.visible = l > 0.004 * this.size;
      if (!g.visible) return;
      stretch(shaft, a, a.clone().add(F));
      const size = heads === 1 ? 1 : Math.min(1, l / (4 * u));  // two heads need room
      cones.forEach((cone, k) => {
        cone.scale.setScalar(size);
        cone.position.copy(a).addScaledVector(F, 1 - (1.7 * u * size * k) / l);
        cone.quaternion.copy(shaft.quaternion);
      });
    });
  }

  // Torques about one axis stand side by side: they are at no point.
  beside(f, at) {
    if (!f.ring) return new THREE.Vector3();
    const axis = new THREE.Vector3(...this.motion.direction(f.of, f.axis, at));
    return axis.clone().cross(new THREE.Vector3(...(Math.abs(axis.z) < 0.9 ? [0, 0, 1] : [1, 0, 0]))).setLength(2 * this.u * f.ring);
  }

  label(text, where, always = false) {
    const element = html("span", { className: "label3d", textContent: text });
    element.setAttribute("aria-hidden", "true");
    this.root.append(element);
    this.labels.push({ element, where, always });
  }

  draw(at) {
    this.at = at;
    for (const f of this.live) f(at);
    this.render();
  }

  render() {
    if (!this.renderer || !this.at) return;
    this.renderer.render(this.scene, this.camera);
    const v = new THREE.Vector3(), w = this.root.clientWidth, h = this.root.clientHeight;
    for (const { element, where, always } of this.labels) {
      element.style.display = this.show.names || always ? "" : "none";
      v.set(...where(this.at)).project(this.camera);
      element.style.transform = `translate(${((v.x + 1) / 2) * w + 7}px, ${((1 - v.y) / 2) * h - 9}px)`;
    }
  }

  resize() {
    const w = this.root.clientWidth || 1, h = this.root.clientHeight || 1;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
  }

  toggle(what, on) {
    this.show[what] = on;
    this.traceGroup.visible = this.show.traces;
    this.arrowGroup.visible = this.show.forces;
    this.render();
  }

  // What is picked shines.
  select(kind, name) {
    if (!this.renderer) return;
    this.selected = [kind, name];
    for (const g of this.pickables) {
      const on = g.userData.kind === kind && g.userData.name === name;
      g.traverse((m) => {
        if (!m.isMesh) return;
        m.userData.plain ??= m.material;
        if (on && m.material === m.userData.plain) {
          m.material = m.userData.plain.clone();
          m.material.emissive.set(resolved("var(--accent)")).multiplyScalar(0.45);
        } else if (!on) m.material = m.userData.plain;
      });
    }
    this.render();
  }

  clicked(event) {
    if ((this.orbit.dragged ?? 0) > 4) return;
    const r = this.root.getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.params.Line.threshold = this.u;
    ray.setFromCamera(new THREE.Vector2(((event.clientX - r.left) / r.width) * 2 - 1, 1 - ((event.clientY - r.top) / r.height) * 2), this.camera);
    const drawn = (part) => !part || (part.visible && drawn(part.parent));
    const owner = (part) => (part.userData.kind ? part : owner(part.parent));
    const hits = ray.intersectObjects(this.pickables, true).filter((h) => drawn(h.object));
    if (!hits.length) return this.pick(null);
    // arrows are seen through bodies, so they are picked through them too, but joints in front of them first
    const hit = (owner(hits[0].object).userData.kind === "body" && hits.find((h) => owner(h.object).userData.arrow)) || hits[0], g = owner(hit.object);
    const spot = g.userData.kind === "body" ? g.worldToLocal(hit.point.clone()).toArray() : null;
    this.pick(g.userData.kind, g.userData.name, spot);
  }

  fit() { this.orbit?.fit(); }
  zoom(by) { this.orbit?.zoom(by); }
  turn(dx, dy) { this.orbit?.turn(0.1 * dx, 0.1 * dy); }
  recolour() { this.parts.recolour(); this.render(); }
}
