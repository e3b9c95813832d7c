// Channels over time, or over another channel (phase plots), one panel a unit; a cursor follows the clock, and leads it when a plot is
// pressed. The wheel, or + and - on a plot, zoom in time; a drag with shift chooses a span; a double click shows all again.

const PLOT = { width: 360, height: 132, left: 46, right: 8, top: 6, bottom: 16 };

// Times and values of other runs: the one before, or many.
const ghostsOf = (c) => c.ghosts ?? (c.ghost ? [c.ghost] : []);

class Plots {
  constructor(root, motion, player, measures) {
    Object.assign(this, { root, motion, player, measures, window: null, over: "" });
    this.chosen = [];
    this.cursors = [];
    this.against = html("select", { id: "against", title: "What plots are drawn over" });
    this.against.setAttribute("aria-label", "Plots over");
    this.against.addEventListener("change", () => { this.over = this.against.value; this.build(); });
    this.all = html("button", { type: "button", id: "whole", textContent: "whole time", title: "Show the whole time (double click on a plot)", hidden: true });
    this.all.addEventListener("click", () => this.zoom(null));
    root.after(html("div", { className: "actions" }, html("label", { className: "hint" }, "over ", this.against), this.all));
  }
  has(name) { return this.chosen.includes(name); }
  choose(names) {
    this.chosen = names.filter((n) => this.motion.channels.has(n));
    this.build();
    this.changed?.();
  }
  toggle(name) { this.choose(this.has(name) ? this.chosen.filter((n) => n !== name) : [...this.chosen, name]); }

  // The time that is shown.
  get span() {
    const { start, end } = this.motion, [from, to] = this.window ?? [start, end];
    return from < end && to > start ? [Math.max(from, start), Math.min(to, end)] : [start, end];
  }
  zoom(window) {
    const { start, end } = this.motion, whole = end - start;
    this.window = window && window[1] - window[0] > 1e-4 * whole && window[1] - window[0] < 0.999 * whole ? window : null;
    this.build();
  }
  // Longer or shorter by a factor, about a time.
  stretch(factor, about) {
    const { start, end } = this.motion, [from, to] = this.span, length = Math.min((to - from) * factor, end - start);
    const first = Math.min(Math.max(about - (about - from) * (length / (to - from || 1)), start), end - length);
    this.zoom([first, first + length]);
  }

  build() {
    this.cursors = [];
    if (!this.motion.channels.has(this.over)) this.over = "";
    this.against.replaceChildren(html("option", { value: "", textContent: "time" }), ...[...this.motion.channels.keys()].map((value) => html("option", { value, textContent: value, selected: value === this.over })));
    this.all.hidden = !this.window;
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

  // The points (abscissa, value) of a channel within the time that is shown, and of its ghosts.
  points(channel) {
    const { t } = this.motion, x = this.over && this.motion.channels.get(this.over), [from, to] = this.span;
    const within = (times, xs, ys) => {
      const out = [];
      for (let k = 0; k < times.length; k++) {
        const near = times[k] >= from && times[k] <= to, edge = times[k] < from ? times[k + 1] >= from : times[k - 1] <= to;
        if ((near || edge) && Number.isFinite(xs[k]) && Number.isFinite(ys[k])) out.push([xs[k], ys[k], times[k]]);
      }
      return out;
    };
    const others = x ? ghostsOf(x) : null;
    const faint = ghostsOf(channel).map(([time, values], k) => (!others ? within(time, time, values) : others[k] ? within(time, others[k][1], values) : []));
    return [within(t, x ? x.values : t, channel.values), ...faint];
  }

  panel(unit, channels) {
    const { width, height, left, right, top, bottom } = PLOT, lines = channels.map((c) => this.points(c)), { t } = this.motion, [sooner, later] = this.motion.judged(t.length).map((k) => t[k]);
    const every = lines.flat(2).filter(([, , time]) => time >= sooner && time <= later);
    const [low, high] = range([every.map((p) => this.measures.clean(p[1], unit))]), [first, last] = this.over ? range([every.map((p) => p[0])]) : this.span;
    const sx = (x) => left + ((x - first) / (last - first || 1)) * (width - left - right);
    const sy = (y) => height - bottom - ((y - low) / (high - low)) * (height - top - bottom);
    const names = channels.map((c) => c.name).join(", "), scale = this.measures.scale(unit, every.reduce((m, p) => Math.max(m, Math.abs(p[1])), 0));
    const svg = make("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": `${names} over ${this.over || "time"}` });
    const frame = make("svg", { x: left, y: top - 1, width: width - left - right, height: height - top - bottom + 2, viewBox: `${left} ${top - 1} ${width - left - right} ${height - top - bottom + 2}` });  // cuts off what is not shown
    for (const y of ticks(low, high, 4)) {
      svg.append(make("path", { class: "axis", d: `M${left} ${sy(y)}H${width - right}` }),
        make("text", { x: left - 5, y: sy(y) + 3.5, "text-anchor": "end" }, this.measures.text(y, unit, scale)));
    }
    for (const x of ticks(first, last, 5)) {
      svg.append(make("path", { class: "axis", d: `M${sx(x)} ${top}V${height - bottom}` }),
        make("text", { x: Math.min(sx(x), width - 3.1 * shown(x).length), y: height - 4, "text-anchor": "middle" }, shown(x)));  // the last one is not cut off
    }
    svg.append(frame);
    const legend = html("div", { className: "legend" }), drawn = (points) => pathOf(points.map(([x, y]) => [sx(x), sy(y)]));
    for (const ghost of lines.flatMap(([, ...faint]) => faint)) if (ghost.length) frame.append(make("path", { class: "ghost", d: drawn(ghost) }));
    const values = channels.map((c, k) => {
      const colour = `var(--c${this.chosen.indexOf(c.name) % 8})`;
      frame.append(make("path", { d: drawn(lines[k][0]), stroke: colour }));
      const value = html("b"), mark = html("i");
      mark.style.background = colour;
      legend.append(html("span", {}, mark, `${c.name} `, value, unit && unit !== "1" ? ` ${scale.unit}` : ""));
      return value;
    });
    const cursor = this.over ? make("g", {}, ...channels.map(() => make("circle", { class: "now", r: 3.4 }))) : html("div", { className: "cursor" });
    if (this.over) frame.append(cursor);
    this.cursors.push({ cursor, sx, sy, channels, values, scale, share: (time) => (time - first) / (last - first || 1) });
    this.listen(svg, frame, channels, { sx, sy, first, last });
    return [this.over ? svg : html("div", { className: "timed" }, svg, html("div", { className: "field" }, cursor)), legend];
  }

  listen(svg, frame, channels, scale) {
    const { left, right, width } = PLOT, local = (event) => { const r = svg.getBoundingClientRect(); return [((event.clientX - r.left) / r.width) * width, ((event.clientY - r.top) / r.width) * width]; };
    const timeAt = (event) => {
      const [x, y] = local(event), { motion } = this;
      if (!this.over) return scale.first + ((x - left) / (width - left - right)) * (scale.last - scale.first);
      const xs = motion.channels.get(this.over).values;
      let best = Infinity, time = this.player.time;
      for (const c of channels) for (let k = 0; k < xs.length; k++) {
        const d = Math.hypot(scale.sx(xs[k]) - x, scale.sy(c.values[k]) - y);
        if (d < best) { best = d; time = motion.t[k]; }
      }
      return time;
    };
    const seek = (event) => { this.player.pause(); this.player.seek(timeAt(event)); };
    let chosen = null;  // a span under way
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      if (!event.shiftKey || this.over) return seek(event);
      chosen = { from: timeAt(event), mark: make("rect", { class: "span", y: PLOT.top, height: PLOT.height - PLOT.top - PLOT.bottom }) };
      frame.append(chosen.mark);
      return undefined;
    });
    svg.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      if (!chosen) return seek(event);
      chosen.to = timeAt(event);
      const [a, b] = [chosen.from, chosen.to].map(scale.sx).sort((x, y) => x - y);
      chosen.mark.setAttribute("x", a);
      chosen.mark.setAttribute("width", b - a);
      return undefined;
    });
    svg.addEventListener("pointerup", () => { const span = chosen; chosen = null; if (span) this.zoom(span.to === undefined ? null : [span.from, span.to].sort((x, y) => x - y)); });
    svg.addEventListener("dblclick", () => this.zoom(null));
    if (!this.over) svg.addEventListener("wheel", (event) => { event.preventDefault(); this.stretch(1.3 ** Math.sign(event.deltaY), timeAt(event)); }, { passive: false });
    svg.addEventListener("keydown", (event) => {
      const factor = { "+": 1 / 1.5, "=": 1 / 1.5, "-": 1.5 }[event.key];
      if (!factor && event.key !== "0") return;
      event.stopPropagation();  // not the speed, not the picture
      const at = this.cursors.findIndex((c) => c.channels === channels);
      if (factor) this.stretch(factor, this.player.time); else this.zoom(null);
      this.root.querySelectorAll("svg.plot")[at]?.focus();
    });
  }

  draw(numbers = true) {
    const at = this.motion.place(this.player.time);
    for (const { cursor, sx, sy, channels, values, scale, share } of this.cursors) {
      if (this.over) channels.forEach((c, k) => put(cursor.children[k], "transform", `translate(${sx(this.motion.value(this.over, at))} ${sy(this.motion.value(c.name, at))})`));
      else cursor.style.transform = `translateX(${hundredths(100 * share(this.player.time))}%)`;  // it lies on the plot, which is not drawn anew for it
      if (numbers) channels.forEach((c, k) => { values[k].textContent = this.measures.text(this.motion.value(c.name, at), c.unit, scale); });
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
