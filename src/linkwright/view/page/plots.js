// Channels over time, one panel a unit; a cursor follows the clock, and leads it when a plot is pressed.

const PLOT = { width: 360, height: 132, left: 46, right: 8, top: 6, bottom: 16 };

class Plots {
  constructor(root, motion, player) {
    Object.assign(this, { root, motion, player });
    this.chosen = [];
    this.cursors = [];
  }
  has(name) { return this.chosen.includes(name); }
  choose(names) {
    this.chosen = names.filter((n) => this.motion.channels.has(n));
    this.build();
    this.changed?.();
  }
  toggle(name) { this.choose(this.has(name) ? this.chosen.filter((n) => n !== name) : [...this.chosen, name]); }

  build() {
    this.cursors = [];
    const panels = new Map();
    for (const name of this.chosen) {
      const channel = this.motion.channels.get(name);
      if (!panels.has(channel.unit)) panels.set(channel.unit, []);
      panels.get(channel.unit).push(channel);
    }
    this.root.replaceChildren(...[...panels].flatMap(([unit, channels]) => this.panel(unit, channels)));
    if (!this.chosen.length) this.root.append(html("p", { className: "hint", textContent: "No channel is chosen." }));
    this.draw();
  }

  panel(unit, channels) {
    const { width, height, left, right, top, bottom } = PLOT, t = this.motion.t;
    const [low, high] = range(channels.flatMap((c) => (c.ghost ? [c.values, c.ghost[1]] : [c.values])));
    const sx = (x) => left + ((x - t[0]) / (t[t.length - 1] - t[0] || 1)) * (width - left - right);
    const sy = (y) => height - bottom - ((y - low) / (high - low)) * (height - top - bottom);
    const names = channels.map((c) => c.name).join(", ");
    const svg = make("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${names} over time` });
    for (const y of ticks(low, high, 4)) {
      svg.append(make("path", { class: "axis", d: `M${left} ${sy(y)}H${width - right}` }),
        make("text", { x: left - 5, y: sy(y) + 3.5, "text-anchor": "end" }, shown(y)));
    }
    for (const x of ticks(t[0], t[t.length - 1], 5)) {
      svg.append(make("path", { class: "axis", d: `M${sx(x)} ${top}V${height - bottom}` }),
        make("text", { x: sx(x), y: height - 4, "text-anchor": "middle" }, shown(x)));
    }
    const legend = html("div", { className: "legend" });
    for (const c of channels) if (c.ghost) svg.append(make("path", { class: "ghost", d: pathOf([...c.ghost[1]].map((y, k) => [sx(c.ghost[0][k]), sy(y)])) }));
    const values = channels.map((c) => {
      const colour = `var(--c${this.chosen.indexOf(c.name) % 8})`;
      svg.append(make("path", { d: pathOf([...c.values].map((y, k) => [sx(t[k]), sy(y)])), stroke: colour }));
      const value = html("b"), mark = html("i");
      mark.style.background = colour;
      legend.append(html("span", {}, mark, `${c.name} `, value, unit && unit !== "1" ? ` ${unit}` : ""));
      return value;
    });
    const cursor = make("path", { class: "cursor", d: `M0 ${top}V${height - bottom}` });
    svg.append(cursor);
    this.cursors.push({ cursor, sx, channels, values });
    this.listen(svg);
    return [svg, legend];
  }

  listen(svg) {
    const seek = (event) => {
      const r = svg.getBoundingClientRect(), { width, left, right } = PLOT, t = this.motion.t;
      const share = (((event.clientX - r.left) / r.width) * width - left) / (width - left - right);
      this.player.pause();
      this.player.seek(t[0] + share * (t[t.length - 1] - t[0]));
    };
    svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); seek(event); });
    svg.addEventListener("pointermove", (event) => { if (event.buttons) seek(event); });
  }

  draw() {
    const at = this.motion.place(this.player.time);
    for (const { cursor, sx, channels, values } of this.cursors) {
      cursor.setAttribute("transform", `translate(${sx(this.player.time)} 0)`);
      channels.forEach((c, k) => { values[k].textContent = shown(this.motion.value(c.name, at)); });
    }
  }
}

function range(columns) {
  let low = Infinity, high = -Infinity;
  for (const column of columns) for (const v of column) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(low <= high)) return [-1, 1];
  // A channel that only rounds is a straight line, not a mountain range.
  const size = Math.max(Math.abs(low), Math.abs(high));
  const pad = high - low > 1e-6 * size && size > 1e-12 ? 0.06 * (high - low) : 0.1 * size > 1e-12 ? 0.1 * size : 1;
  return [low - pad, high + pad];
}

function ticks(low, high, count) {
  const step = niceStep((high - low) / count), out = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) out.push(k * step);
  return out;
}
