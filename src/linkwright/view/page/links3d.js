// What is between two places in space and stretches with the machine: coils, dampers, cylinders, thin rods.

class Stretched3D {
  constructor(parts, kind, least, most) {
    const { u } = parts, add = (...list) => { const g = new THREE.Group(); g.add(...list); return g; };
    this.kind = kind;
    if (kind === "spring") this.coil = coil(parts, (least + most) / 2, u);
    if (kind === "rod") this.coil = parts.rod([0, 0, 0], [0, 1, 0], 0.45 * u, STEEL);
    if (this.coil) { this.root = add(this.coil); return; }
    // the barrel stands on the first end, the stem on the second: each keeps its length
    const stroke = most - least, barrel = Math.min(0.86 * least, Math.max(0.52 * least, stroke + 0.25 * least)), stem = Math.min(0.94 * least, most - barrel + 0.1 * least);
    const r = Math.min((kind === "cylinder" ? 1.15 : 0.95) * u, 0.12 * least), from = Math.min(1.2 * u, 0.1 * least);
    this.barrel = add(parts.turn("drum", r, barrel - from, DARK, [0, (barrel + from) / 2, 0]), parts.turn("drum", 1.14 * r, 0.7 * u, STEEL, [0, barrel - 0.35 * u, 0]), parts.rod([0, 0, 0], [0, from, 0], 0.5 * r, STEEL), parts.ball([0, 0, 0], 0.62 * u, STEEL));
    this.stem = add(parts.rod([0, -stem, 0], [0, 0, 0], 0.5 * r, STEEL), parts.ball([0, 0, 0], 0.62 * u, STEEL));
    this.root = add(this.barrel, this.stem);
  }
  // What moves as a whole.
  get bones() { return this.coil ? [this.coil] : [this.barrel, this.stem]; }
  // Along the way from a to b.
  draw(a, b) {
    if (this.coil) return stretch(this.coil, a, b);
    const d = b.clone().sub(a), l = d.length() || 1e-9;
    this.barrel.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), d.divideScalar(l));
    this.stem.quaternion.copy(this.barrel.quaternion);
    this.barrel.position.copy(a);
    return this.stem.position.copy(b);
  }
}

// Coils: a wire along a helix, made with the length it has in the middle, then of length one and stretched. Its ends are closed.
function coil(parts, length, u) {
  const points = [], turns = 8, n = turns * 12, l = Math.max(length, u);
  for (let k = 0; k <= n; k++) {
    const s = k / n, a = s * turns * TURN, near = Math.min(1, 9 * s, 9 * (1 - s)), h = 0.06 + 0.88 * (s < 0.1 ? 0.55 * s : s > 0.9 ? 1 - 0.55 * (1 - s) : 0.055 + (s - 0.1) * (0.89 / 0.8));
    const r = 1.7 * u * (0.55 + 0.45 * near);
    points.push(new THREE.Vector3(r * Math.cos(a), (h - 0.5) * l, r * Math.sin(a)));
  }
  const wire = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 2 * n, 0.26 * u, 6);
  return parts.mesh(wire.scale(1, 1 / l, 1), STEEL);
}
