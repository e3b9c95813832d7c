// The machine in the plane, as SVG: one group a body, moved as a whole; springs, rods, traces and forces redrawn.

class Stage2D extends Stage {
  constructor(root, page, motion, pick, margins) {
    super(page, motion, pick, margins);
    const [low, high] = (this.travel = this.travels()).box;
    this.size = Math.hypot(high[0] - low[0], high[1] - low[1]) || 1;
    this.u = pinSize(this.drawing, this.size);
    this.svg = make("svg", { id: "machine", role: "group", "aria-label": `the machine ${page.title}` });
    this.world = make("g");
    this.arrows = new Forces2D(this);
    this.numbers = make("g", { class: "numbers", "aria-hidden": "true" });
    this.svg.append(this.world, this.numbers, this.arrows.root);
    root.append(this.svg);
    this.labels = new Labels(root);
    this.layers = {};
    // supports and signs of joints lie over all links
    for (const name of ["grid", "ground", "traces", "bodies", "rods", "supports", "slides", "joints"]) this.world.append(this.layers[name] = make("g", { "data-layer": name }));
    this.groups = new Map();  // by what can be picked
    this.places = new Map();  // labels of joints
    this.build();
    this.camera = new Camera(this.svg, extent(this), margins, (scale) => (this.show.forces && !this.travel.far ? this.arrows.held(scale) : []), () => this.look(), () => this.place());
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("pointerover", (event) => this.hover(event.target.closest("[data-kind]")));
    this.svg.addEventListener("pointerleave", () => this.hover(null));
  }

  // In the plane a machine that stands in ground is seen with it, and so is a way that is not very long.
  travels() {
    const { drawing, motion } = this, { box } = this.page.motion, g = drawing.gravity ?? [0, 0], l = Math.hypot(...g);
    const onGround = drawing.elements.filter((e) => e.bodies.includes("ground")), stands = onGround.some((e) => e.kind !== "Contact" && e.kind !== "Rolling");
    return new Travel(drawing, motion, onGround.length && l ? g.map((x) => x / l) : [0, 0], box, stands ? Infinity : 5, (s) => (s.kind === "circle" ? rectangle(s.at, 0, 2 * s.size[0], 2 * s.size[0]) : corners(s)));
  }

  // The page holds another drawing and motion of the same machine.
  renew() {
    this.drawing = this.page.drawing;
    this.travel = this.travels();
    for (const [name, layer] of Object.entries(this.layers)) if (name !== "grid") layer.replaceChildren();
    this.labels.clear();
    this.live = [];
    this.groups.clear();
    this.places = new Map();
    this.build();
    this.select(...this.selected);
    this.at = null;
    this.camera.contain(extent(this));
  }

  build() {
    const { u, drawing } = this;
    [this.pins, this.rods] = [[], []];  // where names shall not be: over joints and along links
    this.edges = drawing.bodies.flatMap((b) => (b.name === "ground" || b.points.length < 2 ? [] : outline(b)));
    this.trains = new Trains(drawing, this.motion, Math.max(2.4 * u, 0.022 * this.size));
    for (const w of this.trains.wheels.values()) if (!w.radius) runs(w, this.trains, this.motion);
    this.live.push((at) => this.trains.turn(at));
    const moving = drawing.bodies.filter((body) => body.name !== "ground");
    for (const body of moving.map((b) => [spreadOf(b, u), b]).sort(([a], [b]) => b - a).map(([, b]) => b)) this.addBody(body);
    const ground = drawing.bodies[0], wheels = this.trains.of("ground"), fixed = [...ground.shapes.filter((s) => !wheels.some((w) => isWheel(s, w))).map((s) => ({ d: shapePath(s) })), ...wheels.map((w) => wheelOutline(w, u))];
    this.layers.ground.append(...solid(fixed, u, "var(--steel)"));
    for (const c of drawing.curves.filter((k) => k.body === "ground")) {
      this.layers.ground.append(make("path", { d: pathOf(c.points, c.closed), class: "rail", "stroke-width": 0.3 * u }));
    }
    this.rails = [];
    for (const e of drawing.elements) this.addElement(e);
    this.layers.ground.append(...joined(this.rails, 4.2 * u).map((way) => guide(way, u)));
    this.addTraces();
    this.arrows.build();
  }

  group(layer, kind, name, parts, text) {
    const g = make("g", { class: kind, "data-kind": kind, "data-name": name }, ...parts);
    if (parts.length) pickable(g, text, (event) => this.pick(kind, name, event));
    this.layers[layer].append(g);
    this.register(kind, name, g);
    return g;
  }
  register(kind, name, node) {
    const key = `${kind}:${name}`;
    if (!this.groups.has(key)) this.groups.set(key, []);
    this.groups.get(key).push(node);
  }

  // Parts that move with a body, aside of it where they are its shadow.
  follow(g, body, [dx, dy] = [0, 0]) {
    if (body === "ground") return;
    this.live.push((at) => {
      const [x, y, angle] = this.motion.pose(body, at), c = Math.cos(angle), s = Math.sin(angle);
      // rounded: some drawing engines stumble over a turn by 1e-33
      put(g, "transform", `matrix(${[c, s, -s, c].map((v) => +v.toFixed(9)).join(" ")} ${+(x + dx).toPrecision(9)} ${+(y + dy).toPrecision(9)})`);
    });
  }

  addBody(body) {
    const { u, motion } = this, wheels = this.trains.of(body.name), outlines = bodyOutlines(body, this.drawing, u, wheels), faces = this.faces(body.name);
    const parts = solid([...outlines, ...faces], u, this.colour(body.name));
    if (body.mass > 0) {
      const [x, y] = body.com;
      parts.push(make("circle", { cx: x, cy: y, r: 0.28 * u, class: "centre" }));
    }
    const shadow = shade([...outlines, ...faces]);
    this.layers.bodies.append(shadow);
    this.follow(shadow, body.name, [0.3 * u, -0.45 * u]);  // the light comes from above and from the left, whichever way a body turns
    this.follow(this.group("bodies", "body", body.name, parts, `body ${body.name}`), body.name);
    this.register("shadow", body.name, shadow);
    outlines.slice(outlines.length - wheels.length).forEach((outline, k) => this.creep(wheels[k], outline.nodes));
    const middle = middleOf(body), away = slideOf(body, this.drawing) ? 2.2 : body.points.length > 1 ? 1.2 : 1.7;
    this.label(body.name, "body", `body:${body.name}`, (at) => motion.point(body.name, middle, at), away, this.drawing.bodies.length > CROWD);
  }
  // The faces of a body that cams lift.
  faces(body) {
    return this.drawing.elements.filter((e) => e.kind === "CamFlat").flatMap((e) => {
      const face = e.ends.find((end) => end.body === body && end.angle !== undefined), cam = e.ends.find((end) => end.curve !== undefined);
      return face && cam ? [faceOutline(face, this.drawing.curves[cam.curve], this.motion, this.u)] : [];
    });
  }
  // Teeth that do not stay on their wheel.
  creep(wheel, nodes) {
    if (!wheel.creeps) return;
    const { stand, end: { at: [x, y], angle = 0 } } = wheel;
    this.live.push(() => {
      const d = wheel.stand - stand, moved = wheel.radius ? `rotate(${+((d * 180) / Math.PI).toFixed(4)} ${x} ${y})` : `translate(${+(d * Math.cos(angle)).toPrecision(6)} ${+(d * Math.sin(angle)).toPrecision(6)})`;
      for (const node of nodes) put(node, "transform", moved);
    });
  }

  addElement(e) {
    const { u, layers } = this, [i, j] = e.ends;
    const text = `${e.kind} ${e.name}`;
    if (e.between) this.addRod(e, text);
    if (!j && !i) return;
    if (e.kind === "Gear" || e.kind === "RackPinion") return this.addGear(e, text);
    if (e.kind === "Belt" || e.kind === "Rope") return this.addRope(e, text);
    if (e.kind === "Contact") return this.addContact(e, text);
    const span = this.page.motion.spans[e.name];
    if (span) {
      const rail = e.ends[span.line];
      if (rail.body === "ground") this.rails.push({ rail, from: span.from, to: span.to, half: this.beside(e, span) });
      else this.groups.get(`body:${rail.body}`)[0].append(slot(rail, span, u));  // what slides in it lies over it
    }
    for (const end of [...e.ends, ...(e.between ?? [])]) {
      if (standsOnGround(e, end)) {
        layers.supports.append(support(end, u));
        this.pins.push([() => [end.at[0], end.at[1] - 2 * u], 1.7]);
      }
    }
    const rod = j && ["Distance", "RevoluteRevolute", "Spring", "D"].includes(e.kind);
    if (rod) this.addRod(e, text);
    const swap = e.kind === "Translational" && j?.body === "ground";
    const seat = swap ? i : e.kind === "PointFollower" ? i : j ?? i;
    const parts = sign(e.kind, u);
    const drive = this.drawing.elements.find((d) => d.role === "driver" && d.joint === e.name);
    if (drive && e.kind === "Revolute") {
      parts.unshift(driveArrow(u));
      this.pins.push([(at) => this.motion.point(seat.body, seat.at, at), 2.6]);
    }
    if (!parts.length) return;
    const g = this.group(e.kind === "Translational" ? "slides" : "joints", "element", e.name, [turnedGroup(seat, ...parts)], text);
    g.classList.add("joint");
    this.follow(g, seat.body);
    if (["Distance", "RevoluteRevolute", "Spring"].includes(e.kind)) {
      const other = make("g", { class: "joint" }, turnedGroup(i, ...sign(e.kind, u)));
      layers.joints.append(other);
      this.follow(other, i.body);
    }
    if (e.kind === "Translational") for (const side of [-1.5, 1.5]) {
      const tip = [Math.cos(seat.angle ?? 0), Math.sin(seat.angle ?? 0)].map((x, k) => seat.at[k] + side * u * x);
      this.pins.push([(at) => this.motion.point(seat.body, tip, at), 0.7]);
    }
    if (rod) this.pins.push(...[i, j].map((end) => [(at) => this.motion.point(end.body, end.at, at), 1]));
    if (rod) this.label(e.name, "joint", `element:${e.name}`, (at) => this.motion.between(i, j, at), 1.6, this.drawing.elements.length > CROWDED);
    else this.jointLabel(e.name, seat, drive && e.kind === "Revolute" ? 2.8 : 1.1);
  }

  // Where the rails of a slide in ground are.
  beside(e, span) {
    const block = e.ends[1 - span.line], { shapes } = this.drawing.bodies.find((b) => b.name === block.body);
    return breadth(block, e.kind === "Translational" ? shapes : [], this.u);
  }

  addRod(e, text) {
    const { u, motion } = this, [i, j] = e.between ?? e.ends, ends = (at) => [motion.point(i.body, i.at, at), motion.point(j.body, j.at, at)];
    const lengths = someFrames(motion, 60).map(ends).map(([a, b]) => Math.hypot(b[0] - a[0], b[1] - a[1]));
    const kinds = linkKind(e).map((kind) => new Stretched(kind, u, Math.min(...lengths), Math.max(...lengths)));
    const g = this.group("rods", "element", e.name, kinds.map((k) => k.root), text);
    g.classList.add("joint");
    this.live.push((at) => { const [a, b] = ends(at); for (const k of kinds) k.draw(a, b); });
    this.rods.push(ends);
  }

  addContact(e, text) {
    const floor = floorOf(e, this), [{ body, at: spot }] = e.ends;
    if (floor) {
      const g = this.group("ground", "element", e.name, [floor2d(floor, this.u)], text);
      this.live.push(() => put(g, "transform", `translate(${floor.shift(this.camera.drift).map((x) => +x.toPrecision(6)).join(" ")})`));
    }
    this.label(e.name, "joint", `element:${e.name}`, (at) => this.motion.point(body, spot, at), 1.1, true);
  }

  // Wheels are parts of their bodies; the pair itself is where they touch.
  addGear(e, text) {
    const { u } = this, mesh = this.trains.meshes.find((k) => k.element === e.name), dot = make("circle", { r: 0.4 * u, class: "touch" });
    const g = this.group("joints", "element", e.name, [dot], text);
    g.classList.add("joint");
    this.live.push((at) => { const [x, y] = this.trains.pitchPoint(mesh, at); put(g, "transform", `translate(${+x.toPrecision(9)} ${+y.toPrecision(9)})`); });
  }

  // Pulleys turn with their bodies; the rope goes round them as they stand.
  addRope(e, text) {
    const { u, motion } = this;
    e.ends.forEach((end, k) => {
      if (!e.radii[k]) return;
      const wheel = make("g", { class: "joint" }, pulley(end, e.radii[k], u, this.colour(end.body)));
      this.layers.rods.append(wheel);
      this.follow(wheel, end.body);
    });
    const line = make("path", { class: "rope", "stroke-width": 0.38 * u, fill: "none" });
    const g = this.group("rods", "element", e.name, [line], text);
    g.classList.add("joint");
    this.live.push((at) => put(line, "d", ropePath(e.ends.map((end) => motion.point(end.body, end.at, at)), e.radii, e.kind === "Belt")));
  }

  pin(where) { this.pins.push([where, 1]); }
  screen(p) { return this.camera.screen(p); }
  get perMetre() { return this.camera.scale; }

  // Paths of points over the whole motion.
  addTraces() {
    const seen = new Set();
    for (const e of this.drawing.elements) {
      if (e.role !== "joint" || e.ends.length !== 2 || e.bodies.includes("ground") || e.kind !== "Revolute") continue;
      seen.add(this.addTrace(e.ends[1].body, e.ends[1].at, ""));
    }
    for (const p of this.page.traces) this.addFollowed(p);
  }
  // A point with a name: its path, and a dot where it is.
  addFollowed({ body, at: spot, name }) {
    const { u } = this, where = (at) => this.motion.point(body, spot, at);
    this.addTrace(body, spot, "own");
    const joint = sharedLabel(this, where);
    if (joint) return this.labels.join(joint, name, `point:${name}`);  // it is seen
    const g = this.group("joints", "point", name, [make("circle", { r: 0.62 * u, class: "followed", "stroke-width": 0.2 * u })], `point ${name} of ${body}`);
    g.classList.add("joint");
    this.live.push((at) => { const [x, y] = where(at); put(g, "transform", `translate(${+x.toPrecision(9)} ${+y.toPrecision(9)})`); });
    this.places.set(`${body} ${spot}`, Object.assign(this.label(name, "joint", `point:${name}`, where, 1), { place: where }));
    return this.pins.push([where, 0.7]);
  }
  addTrace(body, s, own) {
    this.layers.traces.append(make("path", { d: pathOf(this.path(body, s)), class: `trace ${own}` }));
  }

  look() {
    if (!this.camera) return;
    this.place();
    if (this.at) this.draw(this.at);
    this.looked?.();
  }

  place() {
    this.world.setAttribute("transform", this.camera.transform);
    this.grid();
  }
  grid() {
    const c = this.camera, { step } = this.ruler(), [x0, y0] = c.world(0, c.height), [x1, y1] = c.world(c.width, 0), lines = [];
    for (let x = Math.ceil(x0 / step) * step; x <= x1; x += step) lines.push(`M${x} ${y0}V${y1}`);
    for (let y = Math.ceil(y0 / step) * step; y <= y1; y += step) lines.push(`M${x0} ${y}H${x1}`);
    const axes = [x0 <= 0 && x1 >= 0 ? `M0 ${y0}V${y1}` : "", y0 <= 0 && y1 >= 0 ? `M${x0} 0H${x1}` : ""].join("");
    this.layers.grid.replaceChildren(make("path", { d: lines.join(""), class: "grid" }), ...(axes ? [make("path", { d: axes, class: "grid axis" })] : []));
    this.number(step, [x0, y0, x1, y1]);
  }
  // What the lines of the grid are at the lower and the left edge, in the unit of the ruler; where there is room.
  number(step, [x0, y0, x1, y1]) {
    const c = this.camera, { taken } = this.margins, e = Math.floor(Math.log10(step * (1 + 1e-9)) / 3), texts = [];
    this.told = [];
    const add = (value, x, y, anchor) => {
      const text = shown(Number((value / 1000 ** e).toPrecision(6))).replace("-", "−"), w = 6 * text.length + 2, left = anchor === "middle" ? x - w / 2 : x, box = [left, y - 10, left + w, y + 2];
      if (left < 0 || box[2] > c.width || box[1] < 0 || [...taken, ...this.told].some((other) => meets(box, other, 3))) return;
      this.told.push(box);
      texts.push(make("text", { x: hundredths(x), y: hundredths(y), "text-anchor": anchor }, text));
    };
    for (let k = Math.ceil(x0 / step); k * step <= x1; k++) add(k * step, c.screen([k * step, 0])[0], c.height - 5, "middle");
    for (let k = Math.ceil(y0 / step); k * step <= y1; k++) add(k * step, 4, c.screen([0, k * step])[1] - 3, "start");
    this.numbers.replaceChildren(...texts);
  }
  // A cell of the grid, and how long it is on the screen.
  ruler() {
    const step = niceStep((this.camera.width < 480 ? 48 : 90) / this.camera.scale);
    return { step, pixels: step * this.camera.scale };
  }
  // Of the longest arrow, in pixels; an arc's length is its turn, whatever its size.
  reach(what) { return what === "forces" ? REACH * this.arrows.short : 1; }
  draw(at, names = true) {
    this.at = at;
    this.go(at);
    for (const f of this.live) f(at);
    if (this.show.forces) this.arrows.draw(at);
    if (names && this.show.names) this.labels.draw(at, () => this.view(at), new Set([this.hovered, this.selected.join(":")]));
  }

  // Along with a machine that travels; and with one that is pulled out of sight, until the run is shown again.
  go(at) {
    const { camera, travel, motion } = this, { drift } = camera;
    if (travel.far) camera.go(travel.at(at));
    else if (!motion.still) camera.go([0, 0]);
    else if (travel.parts.length) {
      const p = camera.screen(travel.middle(at)), room = [camera.width, camera.height], away = p.map((x, i) => x - Math.min(0.9 * room[i], Math.max(0.1 * room[i], x)));
      camera.go([drift[0] + away[0] / camera.scale, drift[1] - away[1] / camera.scale]);
    }
  }

  // What names shall keep off.
  view(at) {
    const { width, height, scale } = this.camera, taken = [...this.margins.taken, ...this.told], r = 1.1 * this.u * scale;
    const pins = this.pins.map(([where, size]) => [...this.camera.screen(where(at)), size * r]);
    const links = this.edges.map(([body, p, q]) => [p, q].flatMap((s) => this.camera.screen(this.motion.point(body, s, at))));
    links.push(...this.rods.map((ends) => ends(at).flatMap((p) => this.camera.screen(p))));
    return { width, height, taken, pins, links, half: r, arrows: this.show.forces ? this.arrows.shafts : [] };
  }
  toggle(what, on) {
    this.show[what] = on;
    const node = { names: this.labels.svg, traces: this.layers.traces, forces: this.arrows.root }[what];
    node.style.display = on ? "" : "none";
    if (this.at) this.draw(this.at);
  }
  select(kind, name) {
    this.selected = [kind, name];
    for (const [key, groups] of this.groups) for (const g of groups) {
      g.classList.toggle("selected", key === `${kind}:${name}`);
      g.classList.toggle("clear", /^(body|shadow):/.test(key) && this.clear.has(g.dataset.name ?? key.slice(7)));
    }
    if (this.at) this.draw(this.at);
  }
  seeThrough(name, on) {
    this.clear[on ? "add" : "delete"](name);
    this.select(...this.selected);
  }
  hover(part) {
    const key = part && `${part.dataset.kind}:${part.dataset.name}`;
    if (key === this.hovered) return;
    this.hovered = key;
    if (this.at) this.draw(this.at);
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
  // Unless the user has chosen what to look at.
  refit() { if (!this.camera.moved) this.fit(); }
  zoom(by) { this.camera.zoom(by); }
  turn(dx, dy) { this.camera.shift(40 * dx, 40 * dy); }  // in the plane it is the picture that moves
  recolour() {}
}
