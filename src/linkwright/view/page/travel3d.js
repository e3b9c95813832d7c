// Places of a shape about as far out as it goes.
function reaches(shape) {
  if (shape.kind === "mesh") return shape.size.vertices.slice(0, 50);
  const r = 0.7 * Math.hypot(...shape.size.map((x) => (shape.kind === "box" ? x / 2 : x)));
  return [-r, r].flatMap((d) => [0, 1, 2].map((k) => shape.at.map((x, i) => x + (i === k ? d : 0))));
}

// Wheels whose axes are not parallel are cones: how much smaller they are at their far side, and where that is.
function bevels(trains, motion) {
  const at = { k: 0, next: 0, w: 0 };
  for (const { i, j } of trains.meshes) {
    if (!i.radius || !j.radius) continue;
    const [z, h] = [i, j].map((w) => motion.direction(w.body, framed(w.end).axes[2], at)), cos = Math.abs(dot(z, h)), [P, Q] = [i, j].map((w) => motion.point(w.body, w.end.at, at));
    if (cos > 0.98) continue;
    for (const [w, other, axis, d] of [[i, j, z, minus(Q, P)], [j, i, h, minus(P, Q)]]) {
      const far = (Math.abs(w.radius) * (Math.abs(other.radius / w.radius) + cos)) / Math.sqrt(1 - cos * cos);  // to the tip of the cone
      w.taper = Math.min(0.6, (0.22 * Math.abs(w.radius)) / far);
      w.apex = Math.sign(dot(d, axis)) || 1;
    }
  }
}
