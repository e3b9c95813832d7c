// What the machine in space stands on: light and shadow, a floor with a grid, the axes, and supports under the joints in ground.

const SUN = new THREE.Vector3(0.45, -0.75, 1.5).normalize();  // where the light comes from
// Of the sky, the sun, and straight from above, where what is hidden from the sky is darker. The surroundings give light, too, but to simple parts.
const lightOf = (modest) => (modest ? { sky: 0.8, sun: 0.75, above: 0 } : { sky: 0.22, sun: 0.72, above: 0.16 });

// What metal shows in it: a sky brighter towards the horizon, a ground, two lamps; `up` is where the sky is.
function surroundings(renderer, up) {
  const scene = new THREE.Scene(), sky = new THREE.SphereGeometry(10, 32, 24), at = sky.attributes.position, rgb = [], p = new THREE.Vector3(), zenith = new THREE.Vector3(...up);
  for (let k = 0; k < at.count; k++) {
    const h = p.fromBufferAttribute(at, k).normalize().dot(zenith), bright = h > 0 ? 0.98 - 0.38 * h ** 0.6 : 0.3 + 0.42 * (1 + h) ** 4;
    rgb.push(bright * (h > 0 ? 0.95 : 1), bright * 0.99, bright * (h > 0 ? 1.05 : 0.98));
  }
  sky.setAttribute("color", new THREE.Float32BufferAttribute(rgb, 3));
  scene.add(new THREE.Mesh(sky, new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.BackSide })));
  for (const [x, y, z, size] of [[-5, -4, 6, 3.2], [6, 2, 4.5, 2.4]]) {
    const lamp = new THREE.Mesh(new THREE.SphereGeometry(size / 2, 16, 12), new THREE.MeshBasicMaterial()), [a, b] = basis(up);
    lamp.material.color.setScalar(5);
    lamp.position.set(...[0, 1, 2].map((i) => x * a[i] + y * b[i] + z * up[i]));
    scene.add(lamp);
  }
  const maker = new THREE.PMREMGenerator(renderer), made = maker.fromScene(scene, 0.03).texture;
  maker.dispose();
  return made;
}

// Axes with the third one up: against gravity where that is along an axis, else z.
function upright(gravity) {
  const k = [0, 1, 2].reduce((a, b) => (Math.abs(gravity[b]) > Math.abs(gravity[a]) ? b : a), 2), e = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  if (!(Math.abs(gravity[k]) > 0.95 * Math.hypot(...gravity))) return e;
  const [a, b] = [e[(k + 1) % 3], e[(k + 2) % 3]];
  return gravity[k] < 0 ? [a, b, e[k]] : [b, a, e[k].map((x) => -x)];
}

// In its own axes, z up.
class Floor {
  constructor(stage, box) {
    const [p, q] = box.map((end) => stage.axes.map((e) => dot(e, end))), low = p.map((x, i) => Math.min(x, q[i])), high = p.map((x, i) => Math.max(x, q[i]));
    Object.assign(this, { stage, parts: stage.parts, u: stage.u, low, high });
    this.z = low[2] - 3 * this.u;
    this.centre = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    this.step = niceStep(stage.size / 8);
    // as far as the shadows of the highest parts
    this.radius = 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1]) + 0.7 * (high[2] - this.z) + 2 * this.step;
    this.group = this.turned();
    this.shift = [0, 0, 0];
    this.group.add(...this.light(), this.disc(), this.grid());
    this.axes();
  }

  local(p) { return this.stage.axes.map((e) => dot(e, p)); }
  world(p) { return [0, 1, 2].map((i) => dot(this.stage.axes.map((e) => e[i]), p)); }
  turned(...parts) {
    const group = new THREE.Group();
    group.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(...this.stage.axes.map((e) => new THREE.Vector3(...e))));
    if (parts.length) group.add(...parts);
    return group;
  }

  // Under a machine that travels: by whole cells, so that the grid stands still.
  follow(drift) {
    const cells = this.local(drift).map((x) => this.step * Math.round(x / this.step));
    this.shift = this.world(cells);
    this.group.position.set(...this.shift);
  }

  light() {
    const { low, high } = this, light = lightOf(this.parts.modest), sky = new THREE.HemisphereLight(0xffffff, 0x77808c, light.sky);
    const middle = new THREE.Vector3(...this.centre, (high[2] + this.z) / 2);
    const reach = 0.62 * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - this.z) + 6 * this.u;
    sky.position.set(0, 0, 1);
    const lamp = (intensity, toward, size, soft) => {
      const one = new THREE.DirectionalLight(0xffffff, intensity);
      one.position.copy(middle).addScaledVector(toward, 3 * reach);
      one.target.position.copy(middle);
      one.castShadow = true;
      one.shadow.mapSize.set(size, size);
      Object.assign(one.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach, far: 8 * reach });
      one.shadow.normalBias = 0.12 * this.u;  // else round parts have stripes of their own shadow
      one.shadow.radius = soft;
      one.shadow.autoUpdate = false;  // the stage says when
      return one;
    };
    this.suns = [lamp(light.sun, SUN, this.parts.modest ? 1024 : 2048, 4)];
    if (light.above) this.suns.push(lamp(light.above, new THREE.Vector3(0, 0, 1), 512, 7));
    return [sky, ...this.suns.flatMap((one) => [one, one.target])];
  }

  // Fades out towards its rim; shadows fall on it.
  disc() {
    const geometry = new THREE.RingGeometry(0, this.radius, 48, 6), at = geometry.attributes.position, rgba = new Float32Array(4 * at.count);
    for (let k = 0; k < at.count; k++) rgba.set([1, 1, 1, this.fade(at.getX(k), at.getY(k))], 4 * k);
    geometry.setAttribute("color", new THREE.BufferAttribute(rgba, 4));
    const mesh = new THREE.Mesh(geometry, this.parts.ground("var(--floor)"));
    mesh.position.set(...this.centre, this.z);
    mesh.renderOrder = -2;
    mesh.receiveShadow = true;
    return mesh;
  }
  fade(x, y) { return Math.max(0, 1 - (Math.hypot(x, y) / this.radius) ** 2) ** 1.2; }

  grid() {
    const { step, radius, centre } = this, points = [], rgba = [];
    const line = (a, b) => { for (const [x, y] of [a, b]) { points.push(new THREE.Vector3(x, y, this.z)); rgba.push(1, 1, 1, this.fade(x - centre[0], y - centre[1])); } };
    for (let i = Math.ceil((centre[0] - radius) / step); i * step <= centre[0] + radius; i++) {
      for (let j = Math.ceil((centre[1] - radius) / step); j * step <= centre[1] + radius; j++) {
        line([i * step, j * step], [(i + 1) * step, j * step]);
        line([i * step, j * step], [i * step, (j + 1) * step]);
      }
    }
    const geometry = new THREE.BufferGeometry().setFromPoints(points);
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(rgba), 4));
    const lines = new THREE.LineSegments(geometry, this.parts.line("var(--line)", { vertexColors: true, transparent: true, depthWrite: false }));
    lines.renderOrder = -1;
    return lines;
  }

  axes() {
    ["x", "y", "z"].forEach((name, k) => {
      const corner = [this.low[0], this.low[1], this.z], tip = this.local([0, 1, 2].map((i) => (i === k ? 5 * this.u : 0))).map((x, i) => x + corner[i]);
      const rod = this.parts.rod(corner, tip, 0.2 * this.u, ["var(--c4)", "var(--c2)", "var(--c0)"][k]);
      this.group.add(rod);
      this.stage.batch.add(this.group, this.group, [rod]);
      this.stage.solids.push(["floor", [corner, tip].map((at) => this.world(at))]);
      this.stage.label(name, "axis", `axis:${name}`, () => this.world(tip).map((x, i) => x + this.shift[i]), 0.4);
    });
  }

  // From a place in ground down to the floor: a column with a foot, straight below or on an arm along the joint's axis or
  // beside it; where the machine passes everywhere, a thin post.
  support(place, along) {
    const { parts, u, z } = this, at = this.local(place), axis = this.local(along);
    if (at[2] - z < 0.5 * u) return [];
    const flat = Math.hypot(axis[0], axis[1]), sides = flat > 0.5 ? [[axis[0] / flat, axis[1] / flat]] : [[0, 1], [1, 0]];
    const arms = [[0, 0], ...[4, 7].flatMap((l) => sides.flatMap(([x, y]) => [[-l * u * x, -l * u * y], [l * u * x, l * u * y]]))];
    const arm = arms.find(([x, y]) => !this.passed(at, [at[0] + x, at[1] + y, at[2]]));
    const top = arm ? [at[0] + arm[0], at[1] + arm[1], at[2]] : at, foot = [top[0], top[1], z], r = (arm ? 0.65 : 0.3) * u;
    const out = [parts.rod(foot, [foot[0], foot[1], z + 0.4 * u], 2 * u, STEEL), parts.rod(foot, top, r, STEEL)];
    if (arm && top[0] + top[1] !== at[0] + at[1]) out.push(parts.rod(at, top, r, STEEL), parts.ball(top, r, STEEL));
    return [this.turned(...out)];
  }
  foot(place) {
    const [x, y] = this.local(place);
    return this.world([x, y, this.z]);
  }

  // Whether a body comes near the column under `top` or the arm to it (it may come near the joint itself).
  passed(at, top) {
    const near = 1.9 * this.u, [x, y, z] = top, dx = at[0] - x, dy = at[1] - y, l = dx * dx + dy * dy;
    return this.swept.some((p) => {
      if (Math.hypot(p[0] - at[0], p[1] - at[1], p[2] - at[2]) < 1.5 * near) return false;
      if (p[2] < z + near && Math.hypot(p[0] - x, p[1] - y) < near) return true;
      const s = l ? Math.min(1, Math.max(0, ((p[0] - x) * dx + (p[1] - y) * dy) / l)) : 0;
      return Math.hypot(p[0] - x - s * dx, p[1] - y - s * dy, p[2] - z) < near;
    });
  }

  // Where the bodies come, in some frames.
  get swept() {
    if (this.places) return this.places;
    const { drawing, motion } = this.stage, bodies = drawing.bodies.filter((b) => b.name !== "ground").map((b) => [b.name, skeleton(b)]);
    const frames = someFrames(motion, few(2 * bodies.reduce((n, [, s]) => n + s.length, 0)));
    this.places = bodies.flatMap(([name, list]) => list.flatMap((s) => frames.map((at) => this.local(motion.point(name, s, at)))));
    return this.places;
  }
}

// Points along the rods of a body, and its mass centre.
function skeleton(body) {
  const along = net(body.points).flatMap(([a, b]) => Array.from({ length: 9 }, (_, k) => body.points[a].map((x, i) => x + ((body.points[b][i] - x) * k) / 8)));
  return [...body.points, ...along, body.com];
}
