// The clock of the page: time, play, speed; tells everybody who listens.

class Player {
  constructor(motion) {
    this.motion = motion;
    this.time = motion.start;
    this.playing = false;
    this.way = 1;
    this.listeners = [];
    this.speeds = [];
    for (let e = -7; e <= 5; e++) for (const m of [1, 2, 5]) this.speeds.push(m * 10 ** e);
    this.pace();
  }
  // As in life if that takes a reasonable time, else so that it takes about six seconds.
  pace() {
    const span = this.motion.end - this.motion.start, natural = span >= 2 && span <= 30 ? 1 : span / 6;
    this.choice = nearest(this.speeds, natural || 1);
  }
  get speed() { return this.speeds[this.choice]; }

  onChange(f) { this.listeners.push(f); f(); }
  tell() { for (const f of this.listeners) f(); }

  seek(time) {
    this.time = Math.min(this.motion.end, Math.max(this.motion.start, time));
    this.tell();
  }
  step(frames) {
    this.pause();
    const t = this.motion.t, at = this.motion.place(this.time);
    const near = frames > 0 ? (at.w >= 1 ? at.next : at.k) : (at.w > 0 ? at.next : at.k);
    this.seek(t[Math.min(t.length - 1, Math.max(0, near + frames))]);
  }
  faster(by) {
    this.choice = Math.min(this.speeds.length - 1, Math.max(0, this.choice + by));
    this.tell();
  }
  play() {
    if (this.playing || this.motion.t.length < 2) return;
    if (this.time >= this.motion.end && !this.motion.sure) this.time = this.motion.start;
    this.playing = true;
    let before = null;
    const tick = (now) => {
      if (!this.playing) return;
      if (before !== null) {
        this.advance((Math.min(now - before, 100) / 1000) * this.speed);
      }
      before = now;
      this.tell();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.tell();
  }
  // Around again; there and back where it locks up.
  advance(by) {
    const { start, end, sure } = this.motion;
    if (!sure) this.way = 1;
    this.time += this.way * by;
    if (this.time >= start && this.time <= end) return;
    if (!sure) this.time = start;
    else { this.way = this.time > end ? -1 : 1; this.time = Math.min(end, Math.max(start, this.time)); }
  }
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }
  toggle() { this.playing ? this.pause() : this.play(); }
}

function nearest(values, wanted) {
  let best = 0;
  values.forEach((v, k) => { if (Math.abs(Math.log(v / wanted)) < Math.abs(Math.log(values[best] / wanted))) best = k; });
  return best;
}
