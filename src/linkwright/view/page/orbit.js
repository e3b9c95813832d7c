// The camera in space: turns about a target, upright. Drag turns, right button or shift moves, wheel and two fingers zoom.

class Orbit {
  // axes: the third one up; points(): what shall be in sight; margins: of the view, where other things lie
  constructor(element, camera, axes, points, margins, changed) {
    Object.assign(this, { element, camera, axes, points, margins, changed });
    this.pointers = new Map();
    element.addEventListener("contextmenu", (e) => e.preventDefault());
    element.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(-e.deltaY * 0.0015)); }, { passive: false });
    element.addEventListener("pointerdown", (e) => { this.pointers.set(e.pointerId, [e.clientX, e.clientY]); this.dragged = 0; });
    window.addEventListener("pointermove", (e) => this.moved(e));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
    this.fit();
  }

  // A machine that is flat is seen from its broad side.
  fit() {
    const points = this.points(), [a, b] = this.axes.map((e) => { const x = points.map((p) => dot(e, p)); return x.reduce((m, v) => Math.max(m, v)) - x.reduce((m, v) => Math.min(m, v)); });
    this.azimuth = -0.45 - (0.9 * a) / (a + b || 1);
    this.height = 0.42;
    this.approach(points);
    this.touched = false;
    this.update();
  }

  // The eye as near as it may be with all points between the margins. In the axes of the camera (right, up, out) a point p is
  // right of the left margin if k (e - p).out >= (e - p).right for the slope k of that side, and so on: the eye e follows from
  // the outermost points of each side.
  approach(points) {
    const tan = Math.tan((this.camera.fov * Math.PI) / 360);
    const [out, right, up] = this.frame();
    const w = this.element.clientWidth || 1, h = this.element.clientHeight || 1, m = this.margins;
    const slope = (margin, side) => Math.max(0.2, 1 - (2 * margin) / side);
    const sides = [[right, slope(m.left, w) * tan * (w / h), slope(m.right, w) * tan * (w / h)], [up, slope(m.bottom, h) * tan, slope(m.top, h) * tan]];
    const depths = points.map((p) => dot(p, out));
    const outer = sides.map(([axis, less, more]) => {
      let low = -Infinity, high = -Infinity;
      points.forEach((p, k) => { const x = dot(p, axis); low = Math.max(low, less * depths[k] - x); high = Math.max(high, more * depths[k] + x); });
      return { low, high, less, more, depth: (low + high) / (less + more) };
    });
    const nearest = depths.reduce((m, v) => Math.max(m, v)), middle = (nearest + depths.reduce((m, v) => Math.min(m, v))) / 2;
    const depth = Math.max(...outer.map((o) => o.depth), nearest + 1e-9);
    const [x, y] = outer.map((o) => (o.high - o.more * depth + o.less * depth - o.low) / 2);
    this.target = new THREE.Vector3(...[0, 1, 2].map((i) => x * right[i] + y * up[i] + middle * out[i]));
    this.distance = depth - middle;
    this.radius = this.distance * tan;
  }

  // The directions to the eye, to the right and up on the screen.
  frame() {
    const c = Math.cos(this.height), s = Math.sin(this.height), x = Math.cos(this.azimuth), y = Math.sin(this.azimuth);
    return [[c * x, c * y, s], [-y, x, 0], [-s * x, -s * y, c]].map((v) => [0, 1, 2].map((i) => dot(v, this.axes.map((e) => e[i]))));
  }

  update() {
    this.put();
    this.changed();
  }
  // The eye, beside a machine that has gone this far.
  put() {
    const d = this.distance, [out] = this.frame(), target = this.drift ? this.target.clone().add(new THREE.Vector3(...this.drift)) : this.target;
    this.camera.position.copy(target).addScaledVector(new THREE.Vector3(...out), d);
    this.camera.up.set(...this.axes[2]);
    this.camera.near = d / 200;
    this.camera.far = d * 20;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(target);
  }

  zoom(by) {
    this.touched = true;
    this.distance = Math.min(50 * this.radius, Math.max(0.05 * this.radius, this.distance / by));
    this.update();
  }

  turn(dx, dy) {
    this.touched = true;
    this.azimuth -= dx;
    this.height = Math.min(1.55, Math.max(-1.55, this.height + dy));
    this.update();
  }

  shift(dx, dy) {
    this.touched = true;
    const scale = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / (this.element.clientHeight || 1);
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
    this.update();
  }

  moved(e) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    const now = [e.clientX, e.clientY], dx = now[0] - before[0], dy = now[1] - before[1];
    const spread = () => { const [a, b] = [...this.pointers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1; };
    this.dragged = (this.dragged ?? 0) + Math.hypot(dx, dy);
    if (this.pointers.size === 2) {
      const old = spread();
      this.pointers.set(e.pointerId, now);
      this.zoom(spread() / old);
      this.shift(dx / 2, dy / 2);
      return;
    }
    this.pointers.set(e.pointerId, now);
    if (e.buttons & 2 || e.shiftKey) this.shift(dx, dy);
    else this.turn(dx * 0.008, dy * 0.008);
  }
}

function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
