// The live page: a slider for each parameter. The server solves the machine as they move; the newest wish alone is sent.

class Tuner extends Sliders {
  constructor(live) {
    super();
    this.live = live;
    this.values = Object.create(null);  // by name, whatever the names are
    this.turn = Promise.resolve();
    this.waiting = false;
    this.complaints = new Complaints();
    this.panel();
    this.complaints.tell(live.error, live.solved);
    this.remedies = new Remedies(live, (what, more) => asked(what, live.page, this.values, more));
    addEventListener("pagehide", () => navigator.sendBeacon("bye", this.body()));
    // brought back by the browser as it was: the server has counted it as gone
    addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      live.page = `${live.page.split(" ")[0]} ${performance.now()}`;
      this.wish();
    });
  }

  panel() {
    if (this.live.recorded) return;  // nothing can be moved
    const grid = html("div", { className: "tune" });
    for (const parameter of this.live.parameters) grid.append(...this.tuned(parameter));
    const box = html("details", { id: "tune-box", open: true }, html("summary", { textContent: "Parameters" }), grid);
    byId("plots-box").before(box);
    if (!this.live.parameters.length) {
      grid.replaceWith(html("p", { className: "hint", textContent: "The model has no parameters: nothing can be moved here. Name numbers under “parameters:” in its file and use the names." }));
      return;
    }
    this.save = html("button", { type: "button", id: "save", textContent: "Save" });
    this.back = html("button", { type: "button", id: "reset", textContent: "Reset", title: "Back to the values of the file" });
    this.said = html("output", { id: "said" });
    this.save.title = this.live.file ? `Write the values to ${this.live.file}` : this.live.why_not;
    this.save.addEventListener("click", () => this.write());
    this.back.addEventListener("click", () => this.reset());
    box.append(html("div", { className: "actions" }, this.back, this.save, this.said));
    if (!this.live.file) box.append(html("p", { className: "hint", textContent: this.live.why_not }));
    this.buttons();
    this.say(`solved in ${this.live.milliseconds.toFixed(1)} ms`);
  }

  tuned(parameter) {
    const { name, value } = parameter, inputs = this.row(parameter, (x, from) => { this.take(name, x, from); this.wish(); }, () => this.put(name, this.values[name]));
    this.take(name, value);
    return inputs;
  }
  take(name, value, from) {
    this.values[name] = value;
    this.put(name, value, from);
  }

  get changed() { return this.live.parameters.some(({ name, value }) => this.values[name] !== value); }
  buttons() {
    this.back.disabled = !this.changed;
    this.save.disabled = !this.changed || !this.live.file;
  }
  say(text) { if (this.said) this.said.textContent = text; }

  reset() {
    for (const { name, value } of this.live.parameters) this.take(name, value);
    this.wish();
  }

  body() { return new Blob([JSON.stringify({ page: this.live.page, parameters: this.values })], { type: "application/json" }); }

  async ask(what, body = this.body()) {
    const slow = setTimeout(() => this.say(what === "solve" ? "solving …" : "saving …"), 500);
    try {
      const answer = await fetch(what, { method: "POST", body });
      return await answer.json();
    } catch {
      return { error: { element: [], cause: "there is no answer: the server has ended", remedy: "run linkwright view again" } };
    } finally {
      clearTimeout(slow);
      this.say("");
    }
  }

  // One request after the other: the answer to a wish made before a save must not wipe out what the save answered.
  inTurn(request) {
    const last = this.turn = this.turn.then(request).catch(reportError).then(() => { if (last === this.turn) byId("stage").ariaBusy = "false"; });
    byId("stage").ariaBusy = "true";
  }

  // Solve for the sliders as they are when the turn comes: one wish that waits stands for all newer ones.
  wish() {
    if (this.inputs.size) this.buttons();
    if (this.waiting) return;
    this.waiting = true;
    this.inTurn(async () => {
      this.waiting = false;
      this.solved(await this.ask("solve"));
    });
  }

  solved(answer) {
    this.complaints.tell(answer.error, Boolean(answer.motion));
    if (answer.milliseconds !== undefined) this.say(`solved in ${answer.milliseconds.toFixed(1)} ms`);
    if (!answer.motion) return;
    for (const name of ["drawing", "motion", "analysis", "audit"]) page[name] = answer[name];
    renew(player.time);
  }

  // What is saved is what the sliders showed when it was asked for.
  write() {
    const body = this.body();
    this.inTurn(async () => this.saved(await this.ask("save", body)));
  }

  saved(answer) {
    if (answer.error) return this.complaints.tell(answer.error, true);
    this.live.parameters.forEach((p) => { p.value = answer.saved[p.name]; });
    this.buttons();
    this.say(`saved to ${this.live.file}`);
  }
}

new Tuner(page.live);
