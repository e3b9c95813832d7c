// What the stages of machines in the plane and in space have in common.

class Stage {
  constructor(page, motion, pick, margins) {
    Object.assign(this, { page, motion, pick, margins, drawing: page.drawing });
    this.show = { names: true, traces: true, forces: true };
    this.live = [];  // functions of a place in time
    this.selected = [null, null];
    this.clear = new Set();  // names of bodies that are seen through
    this.hovered = null;
  }
  get forces() { return this.arrows.forces; }
  get torques() { return this.arrows.torques; }
  lengths(law) {
    this.forces.law = this.torques.law = law;
    if (this.at) this.draw(this.at);
  }

  colour(body) {
    const k = this.drawing.bodies.findIndex((b) => b.name === body);
    return body === "ground" ? "var(--steel)" : `var(--c${(k - 1) % 8})`;
  }

  label(name, kind, key, where, away, shy = false) {
    return this.labels.add(name, kind, key, { where: (at) => this.screen(where(at)), reach: () => 4 + away * this.u * this.perMetre, shy });
  }
  // Joints at one place share a label.
  jointLabel(name, seat, away) {
    const key = `${seat.body} ${seat.at}`, label = this.places.get(key);
    if (label) return this.labels.join(label, name, `element:${name}`);
    const where = (at) => this.motion.point(seat.body, seat.at, at);
    const shy = this.drawing.elements.length > CROWDED;
    this.places.set(key, Object.assign(this.label(name, "joint", `element:${name}`, where, away, shy), { place: where }));
    return this.pin(where);
  }

  // The path of a point over the whole motion.
  path(body, s) { return smooth(Array.from(this.motion.t, (_, k) => this.motion.point(body, s, { k, next: k, w: 0 }))); }
}
