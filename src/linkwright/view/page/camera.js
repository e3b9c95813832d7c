// Where one looks at in the plane: a middle and a scale; wheel, drag, two fingers.

class Camera {
  // held: points that shall be in sight, some of them so many pixels away from a place, thus by the scale
  constructor(element, box, held, changed) {
    Object.assign(this, { element, box, held, changed });
    this.moved = false;
    this.pointers = new Map();
    element.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.zoom(Math.exp(-e.deltaY * 0.0015), ...this.local(e));
    }, { passive: false });
    element.addEventListener("pointerdown", (e) => {
      this.pointers.set(e.pointerId, this.local(e));
      this.dragged = 0;
    });
    window.addEventListener("pointermove", (e) => this.pointerMoved(e));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
    new ResizeObserver(() => { if (!this.moved) this.fit(); this.changed(); }).observe(element);
    this.fit();
  }
  get width() { return this.element.clientWidth || 1; }
  get height() { return this.element.clientHeight || 1; }

  local(e) {
    const r = this.element.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  }
  fit() {
    const margin = (high, low) => (0.08 / 0.84) * (high - low);
    let box = this.box.map((end, k) => end.map((x, i) => x + (k ? 1 : -1) * margin(this.box[1][i], this.box[0][i])));
    for (let round = 0; round < 4; round++) {
      const [low, high] = box;
      this.x = (low[0] + high[0]) / 2;
      this.y = (low[1] + high[1]) / 2;
      this.scale = Math.min(this.width / (high[0] - low[0]), this.height / (high[1] - low[1]));
      box = hold(box, this.held(this.scale));
    }
    this.moved = false;
    this.changed();
  }
  // Another box to fit to; at once where it is not in sight, unless the user has chosen what to look at.
  contain(box) {
    this.box = box;
    const [x0, y0] = this.world(0, this.height), [x1, y1] = this.world(this.width, 0), [low, high] = box;
    if (!this.moved && (low[0] < x0 || low[1] < y0 || high[0] > x1 || high[1] > y1)) this.fit();
  }
  zoom(by, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.world(px, py);
    this.scale *= by;
    const [nx, ny] = this.world(px, py);
    this.x += x - nx;
    this.y += y - ny;
    this.moved = true;
    this.changed();
  }
  pointerMoved(e) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    const now = this.local(e), [a, b] = [...this.pointers.values()];
    this.dragged = (this.dragged ?? 0) + Math.hypot(now[0] - before[0], now[1] - before[1]);
    this.pointers.set(e.pointerId, now);
    if (b) {
      const [c, d] = [...this.pointers.values()];
      const ratio = Math.hypot(c[0] - d[0], c[1] - d[1]) / (Math.hypot(a[0] - b[0], a[1] - b[1]) || 1);
      this.zoom(ratio, (c[0] + d[0]) / 2, (c[1] + d[1]) / 2);
      return;
    }
    if (this.dragged < 4) return;
    this.shift(now[0] - before[0], now[1] - before[1]);
  }
  // By pixels.
  shift(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.moved = true;
    this.changed();
  }
  get transform() {
    const s = this.scale;
    return `matrix(${s} 0 0 ${-s} ${this.width / 2 - s * this.x} ${this.height / 2 + s * this.y})`;
  }
  screen(p) { return [this.width / 2 + this.scale * (p[0] - this.x), this.height / 2 - this.scale * (p[1] - this.y)]; }
  world(px, py) { return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale]; }
}
