// What moves, told to who does not see it: where the machine is when it comes to rest or time is moved by hand, in the numbers that
// are plotted; and what the machine is made of.

const REST = 600;  // ms after which it is told: not each step of a slider that is being moved
const MANY = 12;  // names that are listened to

class Teller {
  constructor(root, page, motion, player, plots, measures) {
    Object.assign(this, { root, motion, player, plots, measures, state: player.playing });
    byId("stage").setAttribute("aria-label", described(page.drawing));
    player.listeners.push(() => this.changed());
  }

  changed() {
    const { player } = this;
    if (player.playing && this.state) return;  // nobody can listen to sixty numbers a second
    clearTimeout(this.waiting);
    this.state = player.playing;
    this.waiting = setTimeout(() => { this.root.textContent = player.playing ? `It moves, at ${shown(player.speed)} of its speed.` : this.place(); }, REST);
  }

  // "At 0.3 s: slider.x 1.6 m and falling."
  place() {
    const { motion, measures, player } = this, at = motion.place(player.time), step = (motion.end - motion.start) / 1000, later = motion.place(Math.min(motion.end, player.time + step));
    const said = this.plots.chosen.slice(0, 6).map((name) => {
      const { unit } = motion.channels.get(name), x = motion.value(name, at), d = motion.value(name, later) - x, size = measures.of(motion.channels.get(name));
      const way = Math.abs(d) <= 1e-6 * size ? "" : d > 0 ? " and rising" : " and falling", scale = measures.scale(unit, size), value = measures.clean(x, unit) / scale.by;
      return `${name} ${Number.isFinite(x) ? Number(value.toPrecision(3)) : "unknown"}${unit && unit !== "1" ? ` ${scale.unit}` : ""}${way}`;
    });
    return [`At ${byId("clock").textContent}`, said.join(", ")].filter(Boolean).join(": ");
  }
}

function described(drawing) {
  const named = (list) => list.slice(0, MANY).join(", ") + (list.length > MANY ? " and others" : ""), some = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const bodies = drawing.bodies.filter((b) => b.name !== "ground").map((b) => b.name), joints = drawing.elements.filter((e) => e.role === "joint");
  const parts = [`The machine in motion: ${some(bodies.length, "body").replace("bodys", "bodies")}`, ...(bodies.length ? [named(bodies)] : [])];
  return parts.join(", ") + (joints.length ? `; ${some(joints.length, "joint")}, ${named(joints.map((e) => `${e.name} between ${e.bodies.join(" and ")}`))}` : "");
}
