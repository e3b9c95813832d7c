// Springs, dampers and cylinders between two places of the plane: they stretch with the machine.

// Paths along x from 0 to the length l; least, most: what it is over the motion.
class Stretched {
  constructor(kind, u, least, most) {
    Object.assign(this, { kind, u, least, most });
    const thick = { "stroke-width": 0.44 * u }, thin = { "stroke-width": 0.26 * u };
    this.parts = {
      rod: () => [make("path", { class: "rod edge", "stroke-width": 1.15 * u }), make("path", { class: "rod", "stroke-width": 0.8 * u })],
      spring: () => [make("path", { class: "spring back", ...thin }), make("path", { class: "spring", ...thick })],
      damper: () => this.tube(1.15),
      cylinder: () => this.tube(1.5),
    }[kind]();
    this.root = make("g", {}, ...this.parts);
    // the tube stands on the first end, the piston hangs on the second
    this.lead = Math.min(1.6 * u, 0.12 * least);
    this.barrel = Math.max(0.58 * least - this.lead, 0.2 * most);
    this.stem = (least + most) / 2 - this.lead - this.barrel / 2;
  }
  tube(width) {
    this.wide = width * this.u;
    return [make("path", { class: "tube", "stroke-width": EDGE * this.u }), make("path", { class: "stem edge", "stroke-width": 0.8 * this.u }), make("path", { class: "stem", "stroke-width": 0.46 * this.u }),
      make("path", { class: "piston", "stroke-width": EDGE * this.u }), make("path", { class: "tube front", "stroke-width": EDGE * this.u })];
  }

  // Between these places of the world.
  draw(a, b) {
    const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy) || 1e-12, [c, s] = [dx / l, dy / l].map((x) => +x.toFixed(9));
    put(this.root, "transform", `matrix(${c} ${s} ${-s} ${c} ${+a[0].toPrecision(9)} ${+a[1].toPrecision(9)})`);
    this.paths(l).forEach((d, k) => put(this.parts[k], "d", d));
  }
  paths(l) {
    if (this.kind === "rod") return [`M0 0H${l}`, `M0 0H${l}`];
    return this.kind === "spring" ? coilPaths(l, this.u) : this.tubePaths(l);
  }
  tubePaths(l) {
    const { u, lead, barrel, wide: w } = this, end = lead + barrel, at = Math.min(Math.max(l - this.stem, lead + 0.7 * u), Math.max(end - 0.7 * u, lead + 0.7 * u));
    const box = (x, h, y) => `M${x} ${-y}h${h}v${2 * y}h${-h}Z`;
    return [`M0 0H${lead}${box(lead, barrel, w)}`, `M${at} 0H${l}`, `M${at} 0H${l}`, box(at - 0.45 * u, 0.9 * u, 0.86 * w), `${box(lead, barrel, w)}M${end} ${-w}v${2 * w}`];
  }
}

// A coil seen from the side: the halves behind, the halves in front; straight ends.
function coilPaths(l, u, turns = 8) {
  const lead = Math.min(1.4 * u, 0.12 * l), pitch = (l - 2 * lead) / turns, w = 1.35 * u, back = [], front = [`M0 0H${lead}`];
  for (let k = 0; k < turns; k++) {
    const x = lead + k * pitch;
    front.push(`M${x} ${k ? -w : 0}L${x + (k ? 0.5 : 0.3) * pitch} ${w}`);
    back.push(`M${x + (k ? 0.5 : 0.3) * pitch} ${w}L${x + pitch} ${k < turns - 1 ? -w : 0}`);
  }
  front.push(`M${l - lead} 0H${l}`);
  return [back.join(""), front.join("")];
}
