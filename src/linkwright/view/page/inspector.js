// What is picked, and its numbers at the time of the clock.

class Inspector {
  constructor(root, page, motion, player, plots, measures) {
    Object.assign(this, { root, page, motion, player, plots, measures });
    this.rows = [];
  }

  show(kind, name, spot, trace) {
    this.rows = [];
    if (!kind) return this.root.replaceChildren(html("p", { className: "hint", textContent: "Pick a body or a joint, here or in the picture." }));
    const { drawing, traces } = this.page, list = { body: drawing.bodies, element: drawing.elements, point: traces }[kind];
    const item = list.find((x) => x.name === name), place = (spot) => `(${spot.map((x) => shown(Number(x.toPrecision(3)))).join(", ")})`;
    const what = kind === "point" ? `point of ${item.body} ${place(item.at)}` : kind === "body" ? `body${item.mass ? `, ${shown(item.mass)} kg` : ""}` : `${item.kind}${item.bodies.length ? ` · ${item.bodies.join(" – ")}` : ""}`;
    const title = html("p", { className: "what" }, html("b", { textContent: name }), " ", html("span", { textContent: what }));
    const table = html("table", {}, html("tbody"));
    for (const channel of this.motion.channels.values()) {
      if (!channel.name.startsWith(`${name}.`)) continue;
      const value = html("td"), unit = html("td");
      const button = html("button", { type: "button", textContent: channel.name, title: "plot it, or not" });
      button.addEventListener("click", () => this.plots.toggle(channel.name));
      table.tBodies[0].append(html("tr", {}, html("td", {}, button), value, unit));
      this.rows.push({ name: channel.name, value, unit });
    }
    this.root.replaceChildren(title, table);
    if (!this.rows.length) table.replaceWith(html("p", { className: "hint", textContent: "The result holds no numbers of it." }));
    if (spot && trace) {
      const button = html("button", { type: "button", textContent: `Trace the point ${place(spot)}`, title: "Its path, and its place, speed and acceleration" });
      button.addEventListener("click", () => { trace(name, spot); button.remove(); });
      this.root.append(button);
    }
    this.draw();
  }

  draw() {
    const at = this.motion.place(this.player.time);
    for (const row of this.rows) {
      const channel = this.motion.channels.get(row.name);
      if (!channel) continue;
      if (row.of !== channel) {  // another solution may have larger numbers
        row.of = channel;
        row.scale = this.measures.scale(channel.unit, this.measures.of(channel));
        row.unit.textContent = channel.unit === "1" ? "" : row.scale.unit;
      }
      row.value.textContent = this.measures.text(this.motion.value(row.name, at), channel.unit, row.scale);
    }
  }
}
