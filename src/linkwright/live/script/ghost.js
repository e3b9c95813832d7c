// The machine as it was before the last move of a slider, faint behind the machine as it is: the same time, the same view.

class Ghost {
  constructor() {
    this.root = stage.orbit ? new THREE.Group() : make("g", { class: "ghost", "aria-hidden": "true" });
    player.listeners.push(() => this.draw());
  }
  get shown() { return Boolean(this.motion) && this.on; }

  // What was shown until now; `null`: nothing.
  take(before) {
    this.before = before;
    this.motion = before && Object.assign(Object.create(Motion.prototype), { dimension: motion.dimension, width: motion.width, t: before.t, poses: before.poses, channels: before.channels });
    this.build();
  }
  toggle(on) { this.on = on; this.build(); }

  // The picture is built anew with each solution: the ghost comes back into it.
  build() {
    this.parts = [];
    if (stage.orbit) {
      this.root.traverse((part) => part.geometry?.dispose());
      this.root.remove(...this.root.children);
      if (this.shown) stage.scene.add(this.root); else stage.scene.remove(this.root);
    } else {
      this.root.replaceChildren();
      if (this.shown) stage.layers.bodies.before(this.root); else this.root.remove();
    }
    if (!this.shown) return;
    for (const body of this.before.drawing.bodies) if (body.name !== "ground") this.add(body);
    this.draw();
  }
  add(body) {
    if (stage.orbit) {
      const points = body.points.length > 1 ? body.points.flatMap((p) => [body.com, p]).map((p) => new THREE.Vector3(...p)) : [];
      const part = points.length ? new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ color: 0x888888, transparent: true, opacity: 0.6 }))
        : new THREE.Mesh(new THREE.SphereGeometry(stage.u, 12, 8), new THREE.MeshBasicMaterial({ color: 0x888888, transparent: true, opacity: 0.35 }));
      this.root.add(part);
      this.parts.push([body.name, part]);
      return;
    }
    const part = make("g", {}, ...bodyParts(body, this.before.drawing, stage.u, "var(--faint)"));
    this.root.append(part);
    this.parts.push([body.name, part]);
  }
  draw() {
    if (!this.shown) return;
    const at = this.motion.place(Math.min(player.time, this.motion.end));
    for (const [name, part] of this.parts) {
      const q = this.motion.pose(name, at);
      if (stage.orbit) {
        part.position.set(q[0], q[1], q[2]);
        part.quaternion.set(q[4], q[5], q[6], q[3]);
      } else {
        const c = Math.cos(q[2]), s = Math.sin(q[2]);
        part.setAttribute("transform", `matrix(${[c, s, -s, c].map((v) => +v.toFixed(9)).join(" ")} ${+q[0].toPrecision(9)} ${+q[1].toPrecision(9)})`);
      }
    }
    if (stage.orbit) stage.render();
  }
}
