// Arrows of forces and arcs of torques in the plane, in pixels: they do not grow with the picture.

const REACH = 0.15;  // of the shorter side of the view: the longest arrow of a force

class Forces2D {
  constructor(stage) {
    this.stage = stage;
    this.root = make("g", { "aria-hidden": "true" });
  }

  build() {
    const { page, motion, size } = this.stage, law = this.forces?.law ?? "compressed";
    this.root.replaceChildren();
    this.forces = { ...scaled(page.motion.arrows, motion), law };
    this.torques = { ...rings(scaled(page.motion.torques, motion), motion, size), law };
    this.reaches = spread(this.forces, motion);
    this.shafts = [];
    this.drawn = [...this.forces.list.map((f) => [f, this.add(f, "force"), "force"]), ...this.torques.list.map((f) => [f, this.add(f, "torque"), "torque"])];
  }

  add(f, kind) {
    const path = make("path", { class: f.applied ? `${kind} applied` : kind, "data-kind": "element", "data-name": f.element });
    this.root.append(path);
    this.stage.register("element", f.element, path);
    return path;
  }

  get short() {
    const { svg, camera } = this.stage;
    return camera ? Math.min(camera.width, camera.height) : Math.min(svg.clientWidth || 1, svg.clientHeight || 1);
  }

  // Arrows that shall be in sight: where they start, and where they go in pixels; of arcs the four ends of their circles.
  held(scale) {
    const reach = REACH * this.short, arcs = this.torques.list.flatMap((f) => someFrames(this.stage.motion, few(this.torques.list.length)).map((at) => [f.start(at), this.radius(f, scale)]));
    return [...this.reaches.map(([start, F]) => [start, [F[0] * reach, -F[1] * reach]]), ...arcs.flatMap(([start, r]) => [[r, 0], [-r, 0], [0, r], [0, -r]].map((d) => [start, d]))];
  }

  radius(torque, scale) { return Math.max(0.05 * this.short, 3.8 * this.stage.u * scale) + 8 * torque.ring; }

  draw(at) {
    const { camera } = this.stage, reach = REACH * this.short;
    this.shafts = [];
    for (const [f, path, kind] of this.drawn) {
      const start = camera.screen(f.start(at));
      if (kind === "torque") {
        put(path, "d", arc(start, this.radius(f, camera.scale), FULL * part(f.value(at), this.torques)[0]));
        continue;
      }
      const F = part(f.value(at), this.forces), d = [F[0] * reach, -F[1] * reach];
      const drawn = arrow(start, d);
      put(path, "d", drawn);
      if (drawn) this.shafts.push([...start, start[0] + d[0], start[1] + d[1]]);
    }
  }
}
