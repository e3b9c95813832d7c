// The machine in the plane, as SVG: one group a body, moved as a whole; springs, rods, traces and forces redrawn.

const REACH = 0.17;  // of the shorter side of the view: the longest arrow of a force

class Stage2D {
  constructor(root, page, motion, pick) {
    Object.assign(this, { page, motion, pick, drawing: page.drawing });
    this.show = { names: true, traces: true, forces: true };
    const [low, high] = page.motion.box;
    this.size = Math.hypot(high[0] - low[0], high[1] - low[1]) || 1;
    this.u = pinSize(this.drawing, this.size);
    this.svg = make("svg", { id: "machine", role: "group", "aria-label": `the machine ${page.title}` });
    this.world = make("g");
    this.labels = make("g", { id: "labels", "aria-hidden": "true" });
    this.arrows = make("g", { "aria-hidden": "true" });
    this.svg.append(this.world, this.arrows, this.labels);
    root.append(this.svg);
    this.layers = {};
    for (const name of ["grid", "ground", "traces", "bodies", "rods", "joints"]) this.world.append(this.layers[name] = make("g"));
    this.live = [];  // functions of a place in time
    this.groups = new Map();  // by what can be picked
    this.selected = [null, null];
    this.places = new Map();  // labels of joints
    this.build();
    this.camera = new Camera(this.svg, this.box(), (scale) => this.tips(scale), () => this.look());
    this.svg.addEventListener("click", (event) => this.clicked(event));
  }

  box() {
    const [low, high] = this.page.motion.box, pad = 4 * this.u;
    return [low.map((x) => x - pad), high.map((x) => x + pad)];
  }

  // The page holds another drawing and motion of the same machine.
  renew() {
    this.drawing = this.page.drawing;
    for (const [name, layer] of Object.entries(this.layers)) if (name !== "grid") layer.replaceChildren();
    this.labels.replaceChildren();
    this.arrows.replaceChildren();
    this.live = [];
    this.groups.clear();
    this.places = new Map();
    this.build();
    this.select(...this.selected);
    this.at = null;
    this.camera.contain(this.box());
  }

  colour(body) {
    const k = this.drawing.bodies.findIndex((b) => b.name === body);
    return body === "ground" ? "var(--steel)" : `var(--c${(k - 1) % 8})`;
  }

  build() {
    const { u, drawing } = this;
    for (const body of drawing.bodies) if (body.name !== "ground") this.addBody(body);
    const ground = drawing.bodies[0];
    for (const s of ground.shapes) this.layers.ground.append(make("path", { d: shapePath(s), class: "base", "stroke-width": 0.2 * u }));
    for (const c of drawing.curves.filter((k) => k.body === "ground")) {
      this.layers.ground.append(make("path", { d: pathOf(c.points, c.closed), class: "rail", "stroke-width": 0.3 * u }));
    }
    for (const e of drawing.elements) this.addElement(e);
    this.addTraces();
    this.addForces();
  }

  group(layer, kind, name, parts, text) {
    const g = make("g", { class: kind, "data-kind": kind, "data-name": name }, ...parts);
    if (parts.length) pickable(g, text, (event) => this.pick(kind, name, event));
    this.layers[layer].append(g);
    const key = `${kind}:${name}`;
    if (!this.groups.has(key)) this.groups.set(key, []);
    this.groups.get(key).push(g);
    return g;
  }

  // Parts that move with a body.
  follow(g, body) {
    if (body === "ground") return;
    this.live.push((at) => {
      const [x, y, angle] = this.motion.pose(body, at), c = Math.cos(angle), s = Math.sin(angle);
      // rounded: some drawing engines stumble over a turn by 1e-33
      g.setAttribute("transform", `matrix(${[c, s, -s, c].map((v) => +v.toFixed(9)).join(" ")} ${+x.toPrecision(9)} ${+y.toPrecision(9)})`);
    });
  }

  addBody(body) {
    const { u } = this;
    const parts = bodyParts(body, this.drawing, u, this.colour(body.name));
    if (body.mass > 0) {
      const [x, y] = body.com;
      parts.push(make("circle", { cx: x, cy: y, r: 0.28 * u, class: "centre" }));
    }
    this.follow(this.group("bodies", "body", body.name, parts, `body ${body.name}`), body.name);
    const middle = body.points.length ? body.points.reduce((a, p) => [a[0] + p[0] / body.points.length, a[1] + p[1] / body.points.length], [0, 0]) : body.com;
    const above = slideOf(body, this.drawing) ? -3 : body.points.length > 1 ? -1.8 : -2.4;
    this.label(body.name, "body", (at) => this.motion.point(body.name, middle, at), [0, above]);
  }

  addElement(e) {
    const { u, layers } = this, [i, j] = e.ends;
    const text = `${e.kind} ${e.name}`;
    if (!j && !i) return;
    if (e.kind === "Gear" || e.kind === "RackPinion") return this.addGear(e, text);
    const span = this.page.motion.spans[e.name];
    if (span) {
      const rail = e.ends[span.line], way = guide(rail, [span.from, span.to], u, rail.body === "ground");
      if (rail.body === "ground") layers.ground.append(way);
      else { const g = make("g", {}, way); layers.rods.append(g); this.follow(g, rail.body); }
    }
    for (const end of e.ends) {
      if (end.body === "ground" && ["Revolute", "Spring", "Distance", "Fixed", "RevoluteRevolute"].includes(e.kind)) layers.ground.append(support(end, u));
      if (e.kind === "CamFlat" && end.angle !== undefined) {
        const face = turnedGroup(end, make("path", { d: `M${-7 * u} 0H${7 * u}`, class: "firm", "stroke-width": 0.5 * u }));
        const g = make("g", {}, face);
        layers.rods.append(g);
        this.follow(g, end.body);
      }
    }
    if (j && ["Distance", "RevoluteRevolute", "Spring", "D"].includes(e.kind)) this.addRod(e, text);
    const swap = e.kind === "Translational" && j?.body === "ground";
    const seat = swap ? i : e.kind === "PointFollower" ? i : j ?? i;
    const parts = sign(e.kind, u);
    const drive = this.drawing.elements.find((d) => d.role === "driver" && d.joint === e.name);
    if (drive && e.kind === "Revolute") parts.unshift(driveArrow(u));
    if (!parts.length) return;
    const g = this.group("joints", "element", e.name, [turnedGroup(seat, ...parts)], text);
    g.classList.add("joint");
    this.follow(g, seat.body);
    if (["Distance", "RevoluteRevolute", "Spring"].includes(e.kind)) {
      const other = make("g", { class: "joint" }, turnedGroup(i, ...sign(e.kind, u)));
      layers.joints.append(other);
      this.follow(other, i.body);
    }
    this.jointLabel(e.name, seat);
  }

  addRod(e, text) {
    const { u, motion } = this, [i, j] = e.ends, coil = e.kind === "Spring";
    const line = make("path", { class: coil ? "spring" : "rod", "stroke-width": (coil ? 0.38 : 0.8) * u, fill: "none" });
    const g = this.group("rods", "element", e.name, [line], text);
    g.classList.add("joint");
    this.live.push((at) => {
      const a = motion.point(i.body, i.at, at), b = motion.point(j.body, j.at, at);
      line.setAttribute("d", coil ? coilPath(a, b, u) : pathOf([a, b]));
    });
  }

  addGear(e, text) {
    const { u } = this;
    const radii = e.radii ?? [null, e.radius];
    e.ends.forEach((end, k) => {
      const part = radii[k] === null
        ? turnedGroup(end, make("path", { d: `M${-40 * u} 0H${40 * u}`, class: "rail", "stroke-width": 0.4 * u, "stroke-dasharray": `${0.65 * u}` }))
        : gearWheel(end, radii[k], u, this.colour(end.body));
      const g = this.group("rods", "element", e.name, [part], text);
      g.classList.add("joint");
      this.follow(g, end.body);
    });
  }

  // Joints at one place share a label; where there are many, bodies alone have labels.
  jointLabel(name, seat) {
    if (this.drawing.elements.length > 16) return;
    const key = `${seat.body} ${seat.at}`, text = this.places.get(key);
    if (text) { text.textContent += `, ${name}`; return; }
    this.places.set(key, this.label(name, "joint", (at) => this.motion.point(seat.body, seat.at, at), [1.5, 2.3]));
  }

  label(name, kind, where, offset) {
    const text = make("text", { class: kind }, name);
    this.labels.append(text);
    this.live.push((at) => {
      if (!this.show.names) return;
      const [x, y] = this.camera.screen(where(at)), s = this.camera.scale * this.u;
      text.setAttribute("x", x + offset[0] * s);
      text.setAttribute("y", y + offset[1] * s);
    });
    return text;
  }

  // Paths of points over the whole motion.
  addTraces() {
    const seen = new Set();
    for (const e of this.drawing.elements) {
      if (e.role !== "joint" || e.ends.length !== 2 || e.bodies.includes("ground") || e.kind !== "Revolute") continue;
      seen.add(this.addTrace(e.ends[1].body, e.ends[1].at, ""));
    }
    for (const p of this.page.traces) this.addTrace(p.body, p.at, "own");
  }
  addTrace(body, s, own) {
    const points = [];
    for (let k = 0; k < this.motion.t.length; k++) points.push(this.motion.point(body, s, { k, next: k, w: 0 }));
    this.layers.traces.append(make("path", { d: pathOf(points), class: `trace ${own}` }));
  }

  // Arrows of forces, arcs of torques, where the result holds their components.
  addForces() {
    this.forces = scaled(this.page.motion.arrows, this.motion);
    this.torques = rings(scaled(this.page.motion.torques, this.motion), this.motion, this.size);
    this.reaches = spread(this.forces, this.motion);
    const short = () => Math.min(this.camera.width, this.camera.height);
    for (const f of this.forces.list) {
      const path = this.addArrow(f, "force");
      this.live.push((at) => {
        if (!this.show.forces) return;
        const start = this.camera.screen(f.start(at)), F = f.value(at).map((x) => x / this.forces.largest), reach = REACH * short();
        path.setAttribute("d", arrow(start, [F[0] * reach, -F[1] * reach]));
      });
    }
    for (const f of this.torques.list) {
      const path = this.addArrow(f, "torque");
      this.live.push((at) => {
        if (!this.show.forces) return;
        const radius = Math.max(0.055 * short(), 3.8 * this.u * this.camera.scale) + 8 * f.ring;
        path.setAttribute("d", arc(this.camera.screen(f.start(at)), radius, (FULL * f.value(at)[0]) / this.torques.largest));
      });
    }
  }

  // The tips of arrows of forces, and a little more.
  tips(scale) {
    const reach = (REACH * Math.min(this.svg.clientWidth || 1, this.svg.clientHeight || 1) + 6) / scale;
    return this.reaches.map(([start, F]) => start.map((x, i) => x + F[i] * reach));
  }

  addArrow(f, kind) {
    const path = make("path", { class: f.applied ? `${kind} applied` : kind, "data-kind": "element", "data-name": f.element });
    this.arrows.append(path);
    const key = `element:${f.element}`;
    if (!this.groups.has(key)) this.groups.set(key, []);
    this.groups.get(key).push(path);
    return path;
  }

  look() {
    if (!this.camera) return;
    this.world.setAttribute("transform", this.camera.transform);
    this.grid();
    if (this.at) this.draw(this.at);
  }

  grid() {
    const c = this.camera, step = niceStep(90 / c.scale), [x0, y0] = c.world(0, c.height), [x1, y1] = c.world(c.width, 0), lines = [];
    for (let x = Math.ceil(x0 / step) * step; x <= x1; x += step) lines.push(`M${x} ${y0}V${y1}`);
    for (let y = Math.ceil(y0 / step) * step; y <= y1; y += step) lines.push(`M${x0} ${y}H${x1}`);
    this.layers.grid.replaceChildren(make("path", { d: lines.join(""), class: "grid" }));
  }

  draw(at) {
    this.at = at;
    for (const f of this.live) f(at);
  }
  toggle(what, on) {
    this.show[what] = on;
    const node = { names: this.labels, traces: this.layers.traces, forces: this.arrows }[what];
    node.style.display = on ? "" : "none";
    if (this.at) this.draw(this.at);
  }
  select(kind, name) {
    this.selected = [kind, name];
    for (const [key, groups] of this.groups) for (const g of groups) g.classList.toggle("selected", key === `${kind}:${name}`);
  }
  clicked(event) {
    if ((this.camera.dragged ?? 0) > 4) return;
    const under = document.elementsFromPoint(event.clientX, event.clientY).map((node) => node.closest("[data-kind]")).filter(Boolean);
    const g = under.find((node) => node.classList.contains("joint")) ?? under[0];  // arrows begin on joints and must not hide them
    if (!g) return this.pick(null);
    const [x, y] = this.camera.world(...this.camera.local(event)), name = g.dataset.name;
    let spot = null;
    if (g.dataset.kind === "body") {
      const q = this.motion.pose(name, this.at), dx = x - q[0], dy = y - q[1], c = Math.cos(q[2]), s = Math.sin(q[2]);
      spot = [c * dx + s * dy, -s * dx + c * dy];
    }
    this.pick(g.dataset.kind, name, spot);
  }
  fit() { this.camera.fit(); }
  zoom(by) { this.camera.zoom(by); }
  turn(dx, dy) { this.camera.shift(40 * dx, 40 * dy); }  // in the plane it is the picture that moves
  recolour() {}
}

// Large enough to be seen in the whole, small against the shorter links (the shortest may be a trifle).
function pinSize(drawing, size) {
  const lengths = [];
  for (const b of drawing.bodies) {
    if (b.name === "ground") continue;
    b.points.forEach((p, k) => b.points.slice(k + 1).forEach((q) => {
      const d = Math.hypot(...p.map((x, i) => x - q[i]));
      if (d > 1e-6 * size) lengths.push(d);
    }));
  }
  const short = lengths.sort((a, b) => a - b)[lengths.length >> 2] ?? Infinity;
  return Math.max(0.0045 * size, Math.min(0.0145 * size, 0.12 * short));
}

function niceStep(wanted) {
  const e = 10 ** Math.floor(Math.log10(wanted)), m = wanted / e;
  return e * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
