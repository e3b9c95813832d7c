// Arrows of forces and torques in space. A force has one head, a torque two, along its axis (right-hand rule).

const REACHES = { forces: 0.2, torques: 0.16 };  // of the size of the machine: the longest arrows

class Arrows3D {
  constructor(stage) {
    this.stage = stage;
    this.group = new THREE.Group();
    this.take();
  }

  // The forces of the page; what is drawn comes with build.
  take() {
    const { page, motion } = this.stage, law = this.forces?.law ?? "compressed";
    this.forces = { ...scaled(page.motion.arrows, motion), law };
    this.torques = { ...scaled(page.motion.torques, motion), law };
  }

  build() {
    const { motion, size } = this.stage;
    this.batch?.dispose();
    this.batch = new Batch(this.stage.parts);
    this.drawn = [];
    rings({ list: this.torques.list.filter((f) => f.axis) }, motion, size);
    for (const f of this.forces.list) this.add(f, this.forces, REACHES.forces, 1);
    for (const f of this.torques.list) this.add(f, this.torques, REACHES.torques, 2);
    this.batch.build(this.group);
  }

  // Where arrows are now: from, to.
  get shafts() { return this.drawn.flatMap(({ ends }) => (ends ? [ends] : [])); }

  tips() {
    const { motion, size } = this.stage;
    const of = (arrows, length) => spread(arrows, motion).map(([start, F]) => start.map((x, i) => x + F[i] * length * size));
    return [...of(this.forces, REACHES.forces), ...of(this.torques, REACHES.torques)];
  }

  add(f, scale, reach, heads) {
    const { parts, u, size } = this.stage, colour = f.applied ? "var(--applied)" : "var(--force)", seen = { depthTest: false, transparent: true };  // after all else, also where it starts inside a body
    const g = new THREE.Group(), shaft = parts.rod([0, 0, 0], [0, 1, 0], (heads === 1 ? 0.3 : 0.22) * u, colour, seen);
    const cone = () => parts.mesh(parts.form("head", 0.85 * u, (n) => new THREE.ConeGeometry(0.85 * u, 2.2 * u, n).translate(0, -1.1 * u, 0)), colour, seen);
    const cones = Array.from({ length: heads }, cone);
    g.userData = { kind: "element", name: f.element, arrow: true };
    g.add(shaft, ...cones);
    for (const mesh of g.children) { mesh.renderOrder = 1; mesh.castShadow = mesh.receiveShadow = false; }
    this.group.add(g);
    this.stage.pickables.push(g);
    for (const mesh of [shaft, ...cones]) this.batch.add(g, mesh, [mesh]);
    const place = { ends: null };  // of the arrow, where it is drawn
    this.drawn.push(place);
    this.stage.live.push((at) => {
      place.ends = null;
      const F = new THREE.Vector3(...part(f.value(at), scale)).multiplyScalar(reach * size), l = F.length();
      g.visible = l > 0.004 * size;
      g.scale.setScalar(Number(g.visible));
      if (!g.visible) return;
      const a = new THREE.Vector3(...f.start(at)).add(this.beside(f, at)), whole = (heads === 1 ? 3.2 : 4.6) * u, grown = Math.min(1, l / whole);
      place.ends = [a.toArray(), a.clone().add(F).toArray()];
      stretch(shaft, a, a.clone().addScaledVector(F, 1 - (2 * u * grown) / l));
      shaft.scale.x = shaft.scale.z = Math.max(0.5, grown);
      cones.forEach((head, k) => {
        head.scale.setScalar(grown);  // heads need room
        head.position.copy(a).addScaledVector(F, 1 - (1.7 * u * grown * k) / l);
        head.quaternion.copy(shaft.quaternion);
      });
    });
  }

  // Torques about one axis stand side by side: they are at no point.
  beside(f, at) {
    if (!f.ring) return new THREE.Vector3();
    const axis = new THREE.Vector3(...this.stage.motion.direction(f.of, f.axis, at));
    return axis.clone().cross(new THREE.Vector3(...(Math.abs(axis.z) < 0.9 ? [0, 0, 1] : [1, 0, 0]))).setLength(2 * this.stage.u * f.ring);
  }
}
