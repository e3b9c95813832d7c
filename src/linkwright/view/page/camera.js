// Where one looks at in the plane: a middle and a scale; wheel, drag, two fingers.

const ARROW_EDGE = 6;  // pixels between the tip of an arrow and the edge

class Camera {
  // margins: of the view, where other things lie; held(scale): places whose arrows shall be in sight too, each with the arrow in pixels; at most at this scale
  // gone(): it has gone along with the machine
  constructor(element, box, margins, held, changed, gone) {
    Object.assign(this, { element, box, margins, held, changed, gone, drift: [0, 0] });
    this.moved = false;
    this.pointers = new Map();
    this.measure();
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
    new ResizeObserver(() => { this.measure(); this.margins.refresh(); if (!this.moved) this.fit(); this.changed(); }).observe(element);
    this.fit();
  }
  // Its size is known, not asked for in every picture: the browser would lay the page out for each answer.
  measure() { this.width = this.element.clientWidth || 1; this.height = this.element.clientHeight || 1; }

  local(e) {
    const r = this.element.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  }
  // The box within the margins, arrows within the view, as large as may be; arrows may not take more than a third.
  fit() {
    this.measure();
    const { left, right, top, bottom } = this.margins, [low, high] = this.box;
    const size = [this.width, this.height], room = [[left, this.width - right], [top, this.height - bottom]], edge = [ARROW_EDGE, Math.max(ARROW_EDGE, top - 6)];  // not under switches
    const most = Math.min(...[0, 1].map((i) => Math.max(40, room[i][1] - room[i][0]) / (high[i] - low[i] || 1e-12)));
    const arrows = this.held(most);
    let [from, to] = [0.67 * most, most];
    // where the origin may be on the screen, in each direction, from these ends and up to those
    const limits = (scale) => [0, 1].map((i) => {
      const sign = i ? -1 : 1, ends = [low[i], high[i]].map((x) => sign * scale * x), tips = arrows.map(([p, d]) => sign * scale * p[i] + d[i]);
      return [
        tips.reduce((m, x) => Math.max(m, edge[i] - x), room[i][0] - Math.min(...ends)),
        tips.reduce((m, x) => Math.min(m, size[i] - ARROW_EDGE - x), room[i][1] - Math.max(...ends)),
      ];
    });
    const fits = (scale) => limits(scale).every(([a, b]) => a <= b + 1e-9);
    if (fits(to)) from = to;
    for (let round = 0; round < 20 && from < to; round++) {
      const middle = (from + to) / 2;
      if (fits(middle)) from = middle; else to = middle;
    }
    this.scale = from;
    const [ox, oy] = limits(from).map(([a, b], i) => {
      const sign = i ? -1 : 1, wanted = (room[i][0] + room[i][1]) / 2 - (sign * from * (low[i] + high[i])) / 2;
      return a <= b ? Math.min(b, Math.max(a, wanted)) : wanted;
    });
    this.x = (this.width / 2 - ox) / from;
    this.y = (oy - this.height / 2) / from;
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
  // Along with a machine: so far from where one has chosen to look at.
  go(drift) {
    if (drift.every((x, i) => x === this.drift[i])) return;
    this.drift = drift;
    this.gone();
  }
  get middle() { return [this.x + this.drift[0], this.y + this.drift[1]]; }
  get transform() {
    const s = this.scale, [x, y] = this.middle;
    return `matrix(${s} 0 0 ${-s} ${this.width / 2 - s * x} ${this.height / 2 + s * y})`;
  }
  screen(p) { const [x, y] = this.middle; return [this.width / 2 + this.scale * (p[0] - x), this.height / 2 - this.scale * (p[1] - y)]; }
  world(px, py) { const [x, y] = this.middle; return [x + (px - this.width / 2) / this.scale, y - (py - this.height / 2) / this.scale]; }
}
