// How large signs are drawn, and whose names are shown.

const CROWDED = 16;  // elements: of more, joints have names only where they are wanted
const CROWD = 60;  // bodies: of more, bodies too

// Where a body has its name: amid its joints; amid given shapes, where it has one joint or none.
function middleOf({ points, shapes, com }) {
  const spots = points.length < 2 && shapes.length ? shapes.map((s) => s.at) : points.length ? points : [com];
  return com.map((_, i) => spots.reduce((sum, p) => sum + p[i] / spots.length, 0));
}

// Large enough to be seen in the whole, small against the shorter links (the shortest may be a trifle).
function pinSize(drawing, size) {
  const lengths = [];
  for (const b of drawing.bodies) {
    if (b.name === "ground") continue;
    b.points.forEach((p, k) => b.points.slice(k + 1).forEach((q) => {
      const d = Math.hypot(...p.map((x, i) => x - q[i]));
      if (d > 1e-6 * size) lengths.push(d);
    }));
  }
  const short = lengths.sort((a, b) => a - b)[lengths.length >> 2] ?? Infinity;
  return Math.max(0.0065 * size, Math.min(0.0128 * size, 0.12 * short));
}

// What an element between two points is drawn as; a rod where it is stiff.
function linkKind(e) {
  if (e.kind === "Driver" || e.kind === "Force") return ["cylinder"];
  if (e.kind !== "Spring") return ["rod"];
  const acts = e.acts ?? ["spring"];
  return acts.includes("actuator") && !acts.includes("spring") ? ["cylinder"] : acts.length ? acts.filter((a) => a !== "actuator") : ["spring"];
}
