// What moves as it is, with bodies and between them, in as few meshes as there are finishes: each vertex has its colour, and moves with
// what it is a part of as skin does with a bone. A mesh of its own costs time in every picture, twice with its shadow.

const NOWHERE = { matrixWorld: new THREE.Matrix4().multiplyScalar(0) };  // of what is drawn by itself

class Batch {
  constructor(parts) { Object.assign(this, { parts, entries: [], bones: [] }); }

  // Meshes of an owner that is picked, which move as `bone` does.
  add(owner, bone, meshes) {
    const k = this.bones.push(bone) - 1;
    bone.updateMatrixWorld(true);
    const back = bone.matrixWorld.clone().invert();
    for (const mesh of meshes) {
      const { material: m, geometry } = mesh;
      if (!mesh.isMesh || m.opacity < 1 || m.vertexColors || !geometry.attributes.normal) continue;
      this.entries.push({ owner, mesh, bone: k, place: back.clone().multiply(mesh.matrixWorld) });
      mesh.userData.batched = true;
      mesh.visible = false;
    }
  }

  build(scene) {
    const alike = new Map();
    for (const e of this.entries) {
      const { type, metalness, roughness, envMapIntensity, shininess, side, depthTest, userData: { colour } } = e.mesh.material, { castShadow } = e.mesh;
      const key = [type, metalness, roughness, envMapIntensity, shininess, side, castShadow, depthTest || colour].join(" ");  // those on top of all glow
      if (!alike.has(key)) alike.set(key, []);
      alike.get(key).push(e);
    }
    const still = new THREE.Matrix4(), skeleton = this.skeleton = new THREE.Skeleton(this.bones, this.bones.map(() => still));
    this.meshes = [...alike].map(([key, list]) => {
      const mesh = new THREE.SkinnedMesh(joinedForm(list), this.parts.skin(key, list[0].mesh.material));
      const { castShadow, receiveShadow, renderOrder } = list[0].mesh;
      Object.assign(mesh, { castShadow, receiveShadow, renderOrder, frustumCulled: false });
      mesh.bind(skeleton, still);
      scene.add(mesh);
      return { mesh, list };
    });
    this.recolour();
  }
  dispose() { this.skeleton?.dispose(); }

  recolour() {
    for (const { mesh, list } of this.meshes ?? []) {
      const { color } = mesh.geometry.attributes, [{ mesh: { material: first, userData: own } }] = list;
      mesh.material.emissive.copy((own.plain?.[0] ?? first).emissive);
      for (const { mesh: { material, userData }, from, to } of list) {
        const { r, g, b } = (userData.plain?.[0] ?? material).color;
        for (let k = from; k < to; k++) color.setXYZ(k, r, g, b);
      }
      color.needsUpdate = true;
    }
  }
  // An owner that is drawn by itself, or not.
  alone(owner, on) {
    if (!this.skeleton) return;
    for (const { mesh, bone } of this.entries.filter((e) => e.owner === owner)) {
      mesh.visible = on;
      this.skeleton.bones[bone] = on ? NOWHERE : this.bones[bone];
    }
  }
}

// One form of many; from and to: which vertices are whose.
function joinedForm(list) {
  const forms = list.map((e) => e.mesh.geometry), count = forms.reduce((n, f) => n + f.attributes.position.count, 0), indices = forms.reduce((n, f) => n + (f.index ?? f.attributes.position).count, 0);
  const position = new Float32Array(3 * count), normal = new Float32Array(3 * count), bones = new Uint16Array(4 * count), weights = new Uint8Array(4 * count), corners = new Uint32Array(indices);
  let from = 0, corner = 0;
  list.forEach((entry, i) => {
    const { attributes: { position: p, normal: n }, index } = forms[i], { place, bone } = entry, turned = place.determinant() < 0, own = (index ?? p).count;
    position.set(p.array.subarray(0, 3 * p.count), 3 * from);
    normal.set(n.array.subarray(0, 3 * p.count), 3 * from);
    const part = (all) => new THREE.BufferAttribute(all.subarray(3 * from, 3 * (from + p.count)), 3);
    part(position).applyMatrix4(place);
    part(normal).applyNormalMatrix(new THREE.Matrix3().getNormalMatrix(place));
    for (let k = from; k < from + p.count; k++) { bones[4 * k] = bone; weights[4 * k] = 255; }
    for (let k = 0; k < own; k++) corners[corner + (turned ? own - 1 - k : k)] = from + (index ? index.getX(k) : k);  // as seen in a mirror
    Object.assign(entry, { from, to: from + p.count });
    from += p.count;
    corner += own;
  });
  const out = new THREE.BufferGeometry(), give = (name, all, size, whole) => out.setAttribute(name, new THREE.BufferAttribute(all, size, whole));
  give("position", position, 3);
  give("normal", normal, 3);
  give("color", new Float32Array(3 * count), 3);
  give("skinIndex", bones, 4);
  give("skinWeight", weights, 4, true);
  out.setIndex(new THREE.BufferAttribute(corners, 1));
  return out;
}
