// The camera in space: turns about a target with z up. Drag turns, right button or shift moves, wheel and two fingers zoom.

class Orbit {
  constructor(element, camera, box, changed) {
    Object.assign(this, { element, camera, box, changed });
    this.pointers = new Map();
    element.addEventListener("contextmenu", (e) => e.preventDefault());
    element.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(-e.deltaY * 0.0015)); }, { passive: false });
    element.addEventListener("pointerdown", (e) => { this.pointers.set(e.pointerId, [e.clientX, e.clientY]); this.dragged = 0; });
    window.addEventListener("pointermove", (e) => this.moved(e));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
    this.fit();
  }

  fit() {
    const [low, high] = this.box;
    this.target = new THREE.Vector3(...low.map((x, i) => (x + high[i]) / 2));
    this.radius = 0.5 * Math.hypot(...low.map((x, i) => high[i] - x)) || 1;
    this.azimuth = -0.9;
    this.height = 0.42;
    this.distance = this.enough();
    this.update();
  }

  // The least distance from which all corners of the box are seen.
  enough() {
    const tan = Math.tan((this.camera.fov * Math.PI) / 360), c = Math.cos(this.height), s = Math.sin(this.height);
    const out = new THREE.Vector3(c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), s);
    const right = new THREE.Vector3(-Math.sin(this.azimuth), Math.cos(this.azimuth), 0), up = out.clone().cross(right);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const p = new THREE.Vector3(...[0, 1, 2].map((i) => this.box[(k >> i) & 1][i])).sub(this.target);
      const wide = Math.max(Math.abs(p.dot(up)) / tan, Math.abs(p.dot(right)) / (tan * this.camera.aspect));
      distance = Math.max(distance, p.dot(out) + 1.1 * wide);
    }
    return distance || 1;
  }

  update() {
    const c = Math.cos(this.height), d = this.distance;
    this.camera.position.set(
      this.target.x + d * c * Math.cos(this.azimuth),
      this.target.y + d * c * Math.sin(this.azimuth),
      this.target.z + d * Math.sin(this.height));
    this.camera.up.set(0, 0, 1);
    this.camera.near = d / 200;
    this.camera.far = d * 20;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(this.target);
    this.changed();
  }

  zoom(by) {
    this.distance = Math.min(50 * this.radius, Math.max(0.05 * this.radius, this.distance / by));
    this.update();
  }

  turn(dx, dy) {
    this.azimuth -= dx;
    this.height = Math.min(1.55, Math.max(-1.55, this.height + dy));
    this.update();
  }

  shift(dx, dy) {
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
