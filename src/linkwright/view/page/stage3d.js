// The machine in space, by three.js: one group a body; rods, springs and arrows placed anew each time.

class Stage3D extends Stage {
  constructor(root, page, motion, pick, margins) {
    super(page, motion, pick, margins);
    this.root = root;
    this.pickables = [];
    this.arrows = new Arrows3D(this);
    this.traceGroup = new THREE.Group();
    this.axes = upright(this.drawing.gravity ?? [0, 0, 0]);
    this.travel = this.travels();
    const [low, high] = this.travel.box;
    this.size = Math.hypot(...low.map((x, i) => high[i] - x)) || 1;
    this.u = pinSize(this.drawing, this.size);
    this.parts = new Parts(this.u, this.drawing.bodies.length > CROWD);
    try {
      this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    } catch (error) {
      root.append(html("p", { className: "hint", textContent: "This browser shows no WebGL: the machine in space cannot be drawn." }));
      return;
    }
    this.renderer.shadowMap.enabled = true;
    this.parts.modest = withoutCard(this.renderer.getContext());
    this.renderer.shadowMap.type = this.parts.modest ? THREE.BasicShadowMap : THREE.PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;  // shadows change as the machine moves, not as one looks at it
    this.renderer.outputEncoding = THREE.sRGBEncoding;
    this.scene = new THREE.Scene();
    this.surround();
    root.parentElement.classList.add("space");
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `the machine ${page.title} in space`);
    root.append(canvas);
    this.labels = new Labels(root);
    this.build();
    this.resize();
    this.orbit = new Orbit(canvas, this.camera, this.axes, () => this.points(), margins, () => { this.render(); this.looked?.(); });
    new ResizeObserver(() => this.resized()).observe(root);
    canvas.addEventListener("click", (e) => this.clicked(e));
    canvas.addEventListener("pointermove", (e) => { if (!e.buttons) this.hover(this.hit(e)?.owner.userData); });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    this.recolour();
  }

  // A card that cannot draw them (it needs textures of half precision) gets the simple materials.
  surround() {
    if (this.parts.modest) return;
    try {
      this.scene.environment = surroundings(this.renderer, this.axes[2]);
    } catch (error) {
      this.parts.modest = true;
    }
  }

  travels() { return new Travel(this.drawing, this.motion, this.axes[2], this.page.motion.box, 1.2, reaches); }

  // The page holds another drawing and motion of the same machine.
  renew() {
    this.drawing = this.page.drawing;
    this.travel = this.travels();
    this.arrows.take();
    if (!this.renderer) return;
    this.scene.traverse((part) => part.geometry?.dispose());
    this.parts.forms.clear();
    for (const sun of this.floor.suns) sun.shadow.map?.dispose();
    for (const group of [this.traceGroup, this.arrows.group, this.scene]) group.remove(...group.children);
    this.labels.clear();
    this.live = [];
    this.pickables = [];
    this.at = null;
    this.build();
    this.select(...this.selected);
    this.recolour();
  }

  build() {
    this.batch?.dispose();
    this.batch = new Batch(this.parts);
    this.solids = [];  // what is to be seen: groups and the bodies they move with
    this.pins = [];
    this.places = new Map();  // labels of joints
    this.trains = new Trains(this.drawing, this.motion, Math.max(2.4 * this.u, 0.022 * this.size));
    bevels(this.trains, this.motion);
    this.live.push((at) => this.trains.turn(at));
    this.floor = new Floor(this, this.travel.box);
    this.scene.add(this.floor.group, this.traceGroup, this.arrows.group);
    for (const b of this.drawing.bodies) this.addBody(b);
    for (const e of this.drawing.elements) this.addElement(e);
    for (const e of this.drawing.elements) {
      if (e.role === "joint" && e.ends.length === 2 && !e.bodies.includes("ground") && e.kind !== "Distance") this.addTrace(e.ends[1].body, e.ends[1].at, "");
    }
    for (const p of this.page.traces) this.addFollowed(p);
    this.arrows.build();
    this.batch.build(this.scene);
    this.edges = this.drawing.bodies.flatMap((b) => (b.name === "ground" ? [] : net(b.points).map(([i, j]) => [b.name, b.points[i], b.points[j]])));
  }

  // Corners of all that is drawn, over the whole motion, and the tips of arrows.
  points() {
    const frames = someFrames(this.motion, few(8 * this.solids.length)), { far } = this.travel, out = this.show.forces && !far ? this.arrows.tips() : [];
    if (!far) for (const { body, at: s } of this.page.traces) for (const at of frames) out.push(this.motion.point(body, s, at));
    for (const at of frames) {
      const drift = this.travel.at(at);
      for (const [body, corners] of this.solids) {
        if ((body === "ground" && far) || ((body === "ground" || body === "floor") && at.k)) continue;  // the floor comes along
        for (const s of corners) out.push(this.motion.point(body, s, at).map((x, i) => x - drift[i]));
      }
    }
    return out.length ? out : this.travel.box;
  }

  // What is drawn on a body, once it is complete.
  sweep(group, body) {
    const box = new THREE.Box3();
    group.updateMatrixWorld(true);
    for (const part of group.children) if (!part.userData.aside) box.expandByObject(part);
    if (!box.isEmpty()) this.solids.push([body, [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((i) => [box.min, box.max][(k >> i) & 1].getComponent(i)))]);
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
      const wheels = this.trains.of("ground").filter((w) => w.radius), own = [...body.shapes.filter((s) => !wheels.some((w) => about3d(s, w.end.at, w.radius))).map((s) => shape3d(this.parts, s, STEEL)), ...wheels.map((w) => gear3d(this.parts, w, this.u, STEEL))];
      if (own.length) this.fill(this.group("body", "ground", "ground"), "ground", own);
      for (const c of this.drawing.curves.filter((k) => k.body === "ground")) this.join(this.group("body", "ground", "ground").add(this.parts.tube(c.points, 0.3 * this.u, STEEL, c.closed)));
      return;
    }
    this.fill(this.group("body", body.name, body.name), body.name, body3d(this.parts, body, this.drawing, this.u, this.colour(body.name), this.trains.of(body.name)));
    const middle = middleOf(body);
    this.label(body.name, "body", `body:${body.name}`, (at) => this.motion.point(body.name, middle, at), 1.2, this.drawing.bodies.length > CROWD);
  }
  fill(group, body, parts) {
    group.add(...parts);
    this.sweep(group, body);
    this.join(group);
  }
  // Parts that stay as they are to each other.
  join(group) {
    weld(group);
    this.batch.add(group, group, group.children);
  }

  addElement(e) {
    if (e.between) {
      this.addRod(e, e.between);
      for (const end of e.between) if (end.body === "ground") this.stand(e, end);
    }
    if (!e.ends.length) return;
    const { parts, u } = this, last = e.ends[e.ends.length - 1], rolls = e.kind === "Rolling" || e.kind === "Tyre";
    const seat = rolls || (last.body === "ground" && e.kind === "Translational") ? e.ends[0] : last, other = seat === last ? e.ends[0] : last;
    if (e.kind === "Gear") return;  // wheels are parts of their bodies
    if (e.kind === "Belt" || e.kind === "Rope") return this.addRope(e);
    if (e.kind === "Contact") return this.label(e.name, "joint", `element:${e.name}`, (at) => this.motion.point(e.ends[0].body, e.ends[0].at, at), 1.1, true);  // what touches is seen
    const put = (end, own) => { if (own.length) this.fill(this.group("element", e.name, end.body), end.body, own); };
    put(seat, sign3d(parts, e.kind, this.inside(seat), u));
    if (other !== seat) put(other, seat3d(parts, e.kind, this.inside(other), u, other.body === "ground" ? DARK : this.colour(other.body)));
    const span = this.page.motion.spans[e.name], line = span && e.ends[span.line];
    if (line && e.kind === "Screw") put(line, screw3d(parts, framed(line), span, e.pitch, u));
    else if (line && line.body !== "ground" && ["Translational", "Cylindrical", "RevoluteCylindrical"].includes(e.kind)) put(line, [this.rail(line, span)]);
    for (const end of e.ends) if (end.body === "ground" && !rolls) this.stand(e, end);
    if (["Distance", "Spring", "RevoluteSpherical", "RevoluteRevolute"].includes(e.kind)) this.addRod(e, e.ends);
    if (["Distance", "Spring"].includes(e.kind)) this.label(e.name, "joint", `element:${e.name}`, (at) => this.motion.between(...e.ends, at), 1.5, this.drawing.elements.length > CROWDED);
    else this.jointLabel(e.name, seat, 1.5);
  }
  // An end that knows where its body is, as seen from the joint.
  inside(end) {
    const body = this.drawing.bodies.find((b) => b.name === end.body), others = body.points.filter((p) => Math.hypot(...p.map((x, i) => x - end.at[i])) > 1e-9 * this.size);
    const list = others.length ? others : [body.com], down = end.at.map((x, i) => x - this.axes[2][i]);
    return { ...end, inside: end.body === "ground" ? down : end.at.map((_, i) => list.reduce((a, p) => a + p[i] / list.length, 0)) };
  }
  rail(end, span) {
    const at = (s) => end.at.map((x, i) => x + s * end.axes[2][i]);
    return this.parts.rod(at(span.from - 6 * this.u), at(span.to + 6 * this.u), 0.55 * this.u, STEEL);
  }

  // Ground: a bearing on a column for a pin, a rail on two for a slide.
  stand(e, end) {
    const { parts, u } = this, span = this.page.motion.spans[e.name], places = [], up = this.axes[2];
    const g = this.group("element", e.name, "ground");
    if (span && end === e.ends[span.line]) {
      const at = (s) => end.at.map((x, i) => x + s * end.axes[2][i]), ends = [at(span.from - 6 * u), at(span.to + 6 * u)];
      if (e.kind !== "Screw") g.add(this.rail(end, span));
      places.push(...(Math.abs(dot(end.axes[2], up)) > 0.9 ? [ends[dot(ends[0], up) < dot(ends[1], up) ? 0 : 1]] : ends));
    } else {
      const axes = e.kind === "Revolute" ? basis(end.axes[2]) : end.axes ?? basis([0, 0, 1]);
      g.add(e.kind === "Distance" || e.kind === "Spring" || e.between ? parts.ball(end.at, 0.9 * u, STEEL) : parts.box(end.at, axes, [3.8 * u, 3.8 * u, 1.5 * u], DARK));
      places.push(end.at);
    }
    this.sweep(g, "ground");
    const below = places.flatMap((at) => this.floor.support(at, end.axes?.[2] ?? [0, 0, 1]));
    if (below.length) g.add(...below);
    this.join(g);
    this.solids.push(["ground", places.map((at) => this.floor.foot(at))]);
  }

  addRope(e) {
    e.ends.forEach((end, k) => {
      if (e.radii[k]) this.fill(this.group("element", e.name, end.body), end.body, pulley3d(this.parts, end, e.radii[k], this.u, this.colour(end.body)));
    });
    const turned = e.ends.findIndex((_, k) => e.radii[k]), wheel = e.ends[turned];
    const around = e.kind === "Belt" ? [...e.ends, e.ends[0]] : e.ends, radii = e.kind === "Belt" ? [...e.radii, e.radii[0]] : e.radii;
    const place = (end, at) => this.motion.point(end.body, end.at, at);
    const axis = (at) => {
      if (turned < 0) return [0, 0, 1];
      const tip = this.motion.point(wheel.body, wheel.at.map((x, i) => x + wheel.axes[2][i]), at);
      return place(wheel, at).map((x, i) => tip[i] - x);
    };
    const ends = (at) => straightParts(around.map((end) => place(end, at)), radii, axis(at)).map((p) => p.map((x) => new THREE.Vector3(...x)));
    const g = this.group("element", e.name, "ground");
    const rods = ends({ k: 0, next: 0, w: 0 }).map(() => this.parts.rod([0, 0, 0], [0, 1, 0], 0.25 * this.u, STEEL));
    g.add(...rods);
    for (const rod of rods) this.batch.add(g, rod, [rod]);
    this.live.push((at) => ends(at).forEach((p, k) => stretch(rods[k], ...p)));
  }

  addRod(e, [i, j]) {
    const g = this.group("element", e.name, "ground"), ends = (at) => [i, j].map((end) => new THREE.Vector3(...this.motion.point(end.body, end.at, at)));
    const lengths = someFrames(this.motion, 60).map(ends).map(([a, b]) => a.distanceTo(b)), least = Math.max(Math.min(...lengths), 1e-6 * this.size);
    const own = linkKind(e).map((kind) => new Stretched3D(this.parts, kind, least, Math.max(...lengths, least)));
    g.add(...own.map((k) => k.root));
    for (const k of own) for (const bone of k.bones) this.batch.add(g, bone, bone.isMesh ? [bone] : bone.children);
    for (const end of [i, j]) this.solids.push([end.body, [end.at]]);
    this.live.push((at) => { const [a, b] = ends(at); for (const k of own) k.draw(a, b); });
  }

  addTrace(body, s, own) {
    this.traceGroup.add(this.parts.polyline(this.path(body, s), own ? "var(--accent)" : "var(--trace)"));
    this.recolour();
  }

  // A point with a name: its path, and a ball where it is.
  addFollowed({ body, at: spot, name }) {
    const where = (at) => this.motion.point(body, spot, at);
    this.addTrace(body, spot, "own");
    const joint = sharedLabel(this, where);
    if (joint) return this.labels.join(joint, name, `point:${name}`);  // it is seen
    this.group("point", name, body).add(this.parts.ball(spot, 0.75 * this.u, "var(--accent)"));
    this.places.set(`${body} ${spot}`, Object.assign(this.label(name, "joint", `point:${name}`, where, 1), { place: where }));
    this.pins.push(where);
    return this.recolour();
  }

  pin(where) { this.pins.push(where); }

  // Pixels: of a place, or null where it is behind the eye; a metre at the middle of the machine.
  screen(p) {
    const v = new THREE.Vector3(...p).project(this.camera);
    return v.z < 1 ? [((v.x + 1) / 2) * this.width, ((1 - v.y) / 2) * this.height] : null;
  }
  get perMetre() { return this.orbit ? this.height / (2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.orbit.distance) : 1; }
  reach(what) { return REACHES[what] * this.size * this.perMetre; }
  ruler() { return { step: this.renderer ? this.floor.step : 0, pixels: 0 }; }
  // moving: at once more, which shadows and names may wait for.
  draw(at, names = true, moving = false) {
    this.at = at;
    for (const f of this.live) f(at);
    if (this.renderer) this.cast(names, moving);
    if (this.orbit && this.travel.far) {
      this.orbit.drift = this.travel.at(at);
      this.floor.follow(this.orbit.drift);
      this.orbit.put();
    }
    this.render(names);
  }

  // Shadows cost as much as the picture. While the machine moves those of the sun are cast anew in the pictures that place no
  // names, the faint ones from above in the others.
  cast(names, moving) {
    this.floor.suns.forEach(({ shadow }, k) => { shadow.needsUpdate = !moving || !shadow.map || names === Boolean(k); });
    this.renderer.shadowMap.needsUpdate = true;
  }

  render(names = true) {
    if (!this.renderer || !this.at || !this.orbit) return;
    this.renderer.render(this.scene, this.camera);
    if (names) this.names();
  }
  names() {
    this.labels.draw(this.at, () => this.view(this.at), new Set([this.hovered, this.selected.join(":")]), this.show.names);
  }

  // What names shall keep off.
  view(at) {
    const r = 1.3 * this.u * this.perMetre, { width, height } = this;
    const pins = this.pins.map((where) => this.screen(where(at))).filter(Boolean).map((p) => [...p, r]);
    const flat = (list) => list.map((ends) => ends.map((p) => this.screen(p))).filter(([a, b]) => a && b).map(([a, b]) => [...a, ...b]);
    const links = flat(this.edges.map(([body, p, q]) => [p, q].map((s) => this.motion.point(body, s, at))));
    return { width, height, taken: this.margins.taken, pins, links, half: 0.6 * r, arrows: this.show.forces ? flat(this.arrows.shafts) : [] };
  }

  resize() {
    const w = this.root.clientWidth || 1, h = this.root.clientHeight || 1;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    [this.width, this.height] = [w, h];  // not asked for in every picture: the browser would lay the page out for each answer
  }
  resized() {
    if (this.width === (this.root.clientWidth || 1) && this.height === (this.root.clientHeight || 1)) return;
    this.resize();
    this.margins.refresh();
    if (this.orbit.touched) this.orbit.update();
    else this.orbit.fit();
  }

  toggle(what, on) {
    this.show[what] = on;
    if (!this.renderer) return;
    this.traceGroup.visible = this.show.traces;
    this.arrows.group.visible = this.show.forces;
    this.render();
  }

  // What is picked shines.
  select(kind, name) {
    if (!this.renderer) return;
    this.selected = [kind, name];
    this.dress();
    this.render();
  }
  seeThrough(name, on) {
    this.clear[on ? "add" : "delete"](name);
    this.dress();
    if (this.at) this.draw(this.at);
  }
  isClear({ kind, name }) { return kind === "body" && this.clear.has(name); }
  // Those two wear copies, which are made anew where the colours are others.
  dress(anew = false) {
    for (const g of this.pickables) {
      const on = g.userData.kind === this.selected[0] && g.userData.name === this.selected[1], clear = this.isClear(g.userData), look = `${on}${clear}`;
      for (const batch of [this.batch, this.arrows.batch]) batch?.alone(g, on || clear);
      g.traverse((m) => {
        if (!m.isMesh || ((m.userData.look ?? "falsefalse") === look && !(anew && m.userData.plain))) return;
        m.userData.plain ??= [m.material, m.castShadow];
        m.userData.look = look;
        [m.material, m.castShadow] = m.userData.plain;
        if (on || clear) m.material = m.material.clone();
        if (on) m.material.emissive.set(resolved("var(--accent)")).multiplyScalar(0.45);
        if (!clear) return;
        m.castShadow = false;
        Object.assign(m.material, { transparent: true, opacity: 0.2, depthWrite: false });
      });
    }
  }

  hover(part) {
    const key = part ? `${part.kind}:${part.name}` : null;
    if (key === this.hovered) return;
    this.hovered = key;
    if (this.at) this.names();
  }

  // What is under the pointer: its group and the place on it.
  hit(event) {
    const r = this.root.getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.params.Line.threshold = this.u;
    ray.setFromCamera(new THREE.Vector2(((event.clientX - r.left) / r.width) * 2 - 1, 1 - ((event.clientY - r.top) / r.height) * 2), this.camera);
    const drawn = (part) => !part || ((part.visible || part.userData.batched) && drawn(part.parent));
    const owner = (part) => (part.userData.kind ? part : owner(part.parent));
    const hits = ray.intersectObjects(this.pickables, true).filter((h) => drawn(h.object));
    if (!hits.length) return null;
    // arrows are seen through bodies, so they are picked through them too, but joints in front of them first
    const hit = hits.find((h) => this.isClear(owner(hits[0].object).userData) && !this.isClear(owner(h.object).userData)) || (owner(hits[0].object).userData.kind === "body" && hits.find((h) => owner(h.object).userData.arrow)) || hits[0];
    return { owner: owner(hit.object), point: hit.point };
  }

  clicked(event) {
    if ((this.orbit.dragged ?? 0) > 4) return;
    const hit = this.hit(event);
    if (!hit) return this.pick(null);
    const { kind, name } = hit.owner.userData;
    this.pick(kind, name, kind === "body" ? hit.owner.worldToLocal(hit.point.clone()).toArray() : null);
  }

  fit() { this.orbit?.fit(); }
  // Unless the user has chosen what to look at.
  refit() { if (!this.orbit?.touched) this.fit(); }
  zoom(by) { this.orbit?.zoom(by); }
  turn(dx, dy) { this.orbit?.turn(0.1 * dx, 0.1 * dy); }
  recolour() { this.parts.recolour(); this.dress(true); this.batch?.recolour(); this.arrows.batch?.recolour(); this.render(); }
}

// Whether the processor has to draw: then shadows are hard and fall on the floor only, and a frame takes two thirds of the time.
function withoutCard(gl) {
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  return Boolean(told) && /swiftshader|llvmpipe|software|basic render/i.test(gl.getParameter(told.UNMASKED_RENDERER_WEBGL));
}
