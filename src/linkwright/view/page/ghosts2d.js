// Other runs of the machine, faint, under the one that is shown; their numbers, faint, in the plots.

class Ghosts2D {
  constructor(stage, ghosts) {
    this.stage = stage;
    this.layer = make("g", { "data-layer": "ghosts", class: "ghosts" });
    stage.world.insertBefore(this.layer, stage.layers.traces);
    this.runs = ghosts.map((g) => this.run(g));
    stage.live.push((at) => this.draw(at));
  }
  run(ghost) {
    const motion = new Motion(ghost.motion, 2), parts = [];
    for (const body of ghost.drawing.bodies) {
      if (body.name === "ground") continue;
      const g = make("g", { class: "ghost", "data-ghost": ghost.label }, make("title", {}, ghost.label),
        ...bodyParts(body, ghost.drawing, this.stage.u, this.stage.colour(body.name)));
      this.layer.append(g);
      parts.push([body.name, g]);
    }
    return { motion, parts };
  }
  draw(at) {
    const { t } = this.stage.motion, time = t[at.k] + at.w * (t[at.next] - t[at.k]);
    for (const { motion, parts } of this.runs) {
      const own = motion.place(time);
      for (const [body, g] of parts) {
        const [x, y, angle] = motion.pose(body, own), c = Math.cos(angle), s = Math.sin(angle);
        put(g, "transform", `matrix(${[c, s, -s, c, x, y].map((v) => +v.toPrecision(9)).join(" ")})`);
      }
    }
  }
}

const ghosts = new Ghosts2D(stage, page.ghosts);
for (const { motion: own } of ghosts.runs) {
  for (const [name, { values }] of own.channels) (motion.channels.get(name).ghosts ??= []).push([own.t, values]);
}
plots.choose(page.plots);
stage.fit();
