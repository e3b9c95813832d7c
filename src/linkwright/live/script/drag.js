// Bodies under the mouse. A driven machine: time follows the mouse. One that is let go: a spring pulls it, while time passes; or its
// start is placed, by assembly.

const FAST = 30, PARTS = 8, MANY_SPEEDS = 20, HELD_FIRMLY = 1e4, NUDGE = 4;

class Drag {
  constructor(bench) {
    Object.assign(this, { bench, held: null, live: null });
    const view = byId("view");
    view.addEventListener("pointerdown", (e) => this.pressed(e), { capture: true });
    addEventListener("pointermove", (e) => { if (this.held?.pointer === e.pointerId) this.moved(e); });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (e) => { if (this.held?.pointer === e.pointerId) this.released(); });
    player.listeners.unshift(() => { if (this.live && !this.busy) this.stop(); });  // before the run is drawn again
  }

  pressed(event) {
    if (this.held) return event.stopPropagation();  // a second finger
    if (this.bench.refused || !this.bench.run || event.button !== 0 || event.shiftKey) return;
    const found = under(event);
    if (!found) return;
    event.stopPropagation();  // the camera stays
    (stage.orbit ?? stage.camera).dragged = 0;
    const { name, point } = found;
    this.held = { name, pointer: event.pointerId, from: [event.clientX, event.clientY], spot: motion.within(name, point, stage.at ?? motion.place(player.time)), moving: false };
  }
  moved(event) {
    const { held } = this, [x, y] = held.from;
    this.mouse = [event.clientX, event.clientY];
    if (!held.moving) {
      if (Math.hypot(event.clientX - x, event.clientY - y) < NUDGE) return;
      held.moving = true;
      (stage.orbit ?? stage.camera).dragged = 99;  // no click
      this.begin();
    }
    this.way?.follow();
  }
  released() {
    const { held, way } = this;
    this.held = null;
    if (held.moving) way?.leave?.();
    this.way = null;
  }

  begin() {
    const { bench } = this;
    if (!["dynamics", "equilibrium"].includes(bench.given.analysis)) { player.pause(); this.way = new Turn(this); return; }
    this.way = bench.panel.drags === "place" || bench.given.analysis === "equilibrium" ? new Place(this) : (this.live ??= new Pull(this));
    if (!this.way.ready) this.way = this.live = null;
  }
  stop() {
    this.live?.end();
    this.live = null;
    this.bench.restore();
  }

  // Where on the screen the spot of the body is that is held, at a frame; and the place in the machine under the mouse there.
  spotAt(at) { return motion.point(this.held.name, this.held.spot, at); }
  target(near) { return worldAt(this.mouse, near); }
}

// -- driven: the time at which the spot is nearest to the mouse, not far from now where there are several -----------------------
class Turn {
  constructor(drag) { this.drag = drag; }
  follow() {
    const { mouse } = this.drag, span = motion.end - motion.start || 1, size = Math.hypot(byId("view").clientWidth, byId("view").clientHeight);
    let best = Infinity, time = player.time;
    for (let k = 0; k < motion.t.length; k++) {
      const p = onPage(this.drag.spotAt({ k, next: k, w: 0 }));
      if (!p) continue;
      const away = Math.abs(motion.t[k] - player.time) / span, d = Math.hypot(p[0] - mouse[0], p[1] - mouse[1]) + 0.1 * size * Math.min(away, 1 - away) ** 2;
      if (d < best) { best = d; time = motion.t[k]; }
    }
    player.seek(time);
  }
}

// -- let go: a spring with its damper from the mouse to the body, some times a picture ------------------------------------------
class Pull {
  constructor(drag) {
    const { bench } = drag, { machine } = bench;
    this.drag = drag;
    this.simulation = machine.motion;
    drag.busy = true;
    player.pause();
    drag.busy = false;
    this.ready = machine.prepare(bench.wanted());
    if (!this.ready) return;
    const at = motion.place(player.time), k = Math.min(bench.run.q.length - 1, Math.round(at.k + at.w));
    this.state = this.simulation.stateAt(player.time, Float64Array.from([...bench.run.q[k], ...bench.run.v[k], ...bench.run.turns[k], 0]));
    let before = null;
    const tick = (now) => {
      if (this.over) return;
      if (before !== null) this.advance(Math.min((now - before) / 1000, 0.05) * player.speed);
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    bench.panel.tell("live: pull a body; play shows the run again");
  }
  follow() {}
  end() { this.over = true; }

  advance(h) {
    const { held, bench } = this.drag, parts = held?.moving ? PARTS / (this.simulation.machine.nv > MANY_SPEEDS ? 2 : 1) : 1;
    try {
      for (let k = 0; k < parts; k++) {
        if (held?.moving) this.pull(held, h / parts);
        this.simulation.advance(this.state, h / parts);
      }
    } catch (error) {
      if (!error.cause) throw error;
      this.end();
      this.drag.live = null;
      bench.complain({ element: error.element, cause: error.cause, remedy: "play shows the run again" }, true);
      return;
    }
    const t = this.state.t;
    bench.frame(bench.machine.single(this.state), true);
    const now = performance.now();
    if (now - (this.told ?? -Infinity) < PACE) return;  // as where the run is shown
    this.told = now;
    inspector.draw();
    byId("clock").textContent = `${t.toFixed(2)} s`;
  }
  // What a spring with critical damping does to the spot within h: it is drawn to the mouse within a tenth of a second of the clock
  // on the wall.
  pull({ name, spot }, h) {
    const p = this.simulation.placeOf(this.state, name, spot), wanted = this.drag.target(p), v = this.simulation.speedOf(this.state, name, spot), rate = FAST / player.speed;
    this.simulation.kick(this.state, name, spot, p.map((x, i) => (1 - Math.exp(-2 * rate * h)) * (0.5 * rate * (wanted[i] - x) - v[i])));
  }
}

// -- at rest: the start, put together with the body where the mouse is ----------------------------------------------------------
class Place {
  constructor(drag) {
    const { bench } = drag;
    this.drag = drag;
    player.pause();
    player.seek(motion.start);
    this.ready = bench.machine.prepare(bench.wanted());
    if (this.ready) this.placing = bench.machine.placing();
  }
  follow() {
    const { drag } = this, { name, spot } = drag.held, wanted = drag.target(drag.spotAt({ k: 0, next: 0, w: 0 }));
    if (!this.placing.move(name, spot, wanted, HELD_FIRMLY)) return;
    this.moved = true;
    drag.bench.frame(this.placing.single());
  }
  leave() {
    const { bench } = this.drag;
    bench.restore();
    if (!this.moved) return;
    bench.set(this.placing.values());
  }
}

// -- the screen ------------------------------------------------------------------------------------------------------------------
// The body under the mouse; of a joint the body it moves.
function under(event) {
  if (stage.orbit) {
    const hit = stage.hit(event);
    if (!hit) return null;
    const name = bodyOf(hit.owner.userData);
    return name && { name, point: hit.point.toArray() };
  }
  const node = document.elementsFromPoint(event.clientX, event.clientY).map((n) => n.closest?.("[data-kind]")).find(Boolean), name = node && bodyOf(node.dataset);
  return name ? { name, point: stage.camera.world(...stage.camera.local(event)) } : null;
}
function bodyOf({ kind, name }) {
  if (kind === "body") return name === "ground" ? null : name;
  const e = page.drawing.elements.find((x) => x.name === name);
  return e?.ends.map((end) => end.body).reverse().find((b) => b !== "ground") ?? null;
}
// Pixels of the window.
function onPage(p) {
  const r = byId("view").getBoundingClientRect(), s = stage.orbit ? stage.screen(p) : stage.camera?.screen(p);
  return s && [s[0] + r.left, s[1] + r.top];
}
// The place under the mouse; in space as far from the eye as `near` is.
function worldAt([x, y], near) {
  const r = byId("view").getBoundingClientRect();
  if (!stage.orbit) return stage.camera.world(x - r.left, y - r.top);
  const v = new THREE.Vector3(...near).project(stage.camera);
  v.x = ((x - r.left) / r.width) * 2 - 1;
  v.y = 1 - ((y - r.top) / r.height) * 2;
  return v.unproject(stage.camera).toArray();
}
