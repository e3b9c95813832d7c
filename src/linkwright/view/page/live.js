// The live page: a slider for each parameter. The server solves the machine as they move; the newest wish alone is sent.

class Tuner {
  constructor(live) {
    this.live = live;
    this.values = Object.create(null);  // by name, whatever the names are
    this.inputs = new Map();
    this.turn = Promise.resolve();
    this.waiting = false;
    this.trouble = html("div", { id: "trouble", hidden: true });
    this.trouble.setAttribute("role", "status");
    byId("stage").append(this.trouble);
    this.panel();
    this.complain(live.error, live.solved);
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
    for (const parameter of this.live.parameters) grid.append(...this.row(parameter));
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

  row({ name, value, low, high }) {
    const id = `tune ${name}`, step = niceStep((high - low) / 1000);
    const slider = html("input", { type: "range", id, min: Math.floor(low / step) * step, max: Math.ceil(high / step) * step, step });
    const box = html("input", { type: "number", step: "any", required: true });
    const label = html("label", { htmlFor: id, textContent: name });
    box.setAttribute("aria-label", `${name}, as a number`);
    slider.dataset.name = box.dataset.name = name;
    this.inputs.set(name, { slider, box });
    this.put(name, value);
    // multiples of the step are computed: 0.30000000000000004 is 0.3
    slider.addEventListener("input", () => { this.put(name, Number(slider.valueAsNumber.toPrecision(12)), slider); this.wish(); });
    box.addEventListener("input", () => { if (box.validity.valid && Number.isFinite(box.valueAsNumber)) { this.put(name, box.valueAsNumber, box); this.wish(); } });
    box.addEventListener("change", () => this.put(name, this.values[name]));
    return [label, slider, box];
  }

  // A value for a parameter, shown by both inputs but the one it came from.
  put(name, value, from) {
    const { slider, box } = this.inputs.get(name);
    this.values[name] = value;
    if (from !== box) box.value = value;
    if (value < Number(slider.min)) slider.min = value;
    if (value > Number(slider.max)) slider.max = value;
    if (from !== slider) slider.value = value;
    slider.setAttribute("aria-valuetext", String(value));
  }

  get changed() { return this.live.parameters.some(({ name, value }) => this.values[name] !== value); }
  buttons() {
    this.back.disabled = !this.changed;
    this.save.disabled = !this.changed || !this.live.file;
  }
  say(text) { if (this.said) this.said.textContent = text; }

  reset() {
    for (const { name, value } of this.live.parameters) this.put(name, value);
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
      this.take(await this.ask("solve"));
    });
  }

  take(answer) {
    this.complain(answer.error, Boolean(answer.motion));
    if (answer.milliseconds !== undefined) this.say(`solved in ${answer.milliseconds.toFixed(1)} ms`);
    if (!answer.motion) return;
    for (const name of ["drawing", "motion", "analysis", "audit"]) page[name] = answer[name];
    motion.take(page.motion);
    followed.tell(motion.channels, motion.channels);
    stage.renew();
    plots.build();
    timeEnds();
    showTexts();
    player.seek(player.time);
  }

  complain(error, shown) {
    this.trouble.hidden = !error;
    byId("stage").classList.toggle("stale", Boolean(error) && !shown);
    byId("stage").classList.toggle("troubled", Boolean(error));
    if (!error) return;
    const rest = shown ? "" : ". The picture is older.", names = error.element.slice(0, 5).join(", ") + (error.element.length > 5 ? ", …" : "");
    this.trouble.replaceChildren(
      html("b", { textContent: names }), error.element.length ? ": " : "", error.cause + rest,
      ...(error.remedy ? [html("p", { textContent: `Remedy: ${error.remedy}` })] : []));
  }

  // What is saved is what the sliders showed when it was asked for.
  write() {
    const body = this.body();
    this.inTurn(async () => this.saved(await this.ask("save", body)));
  }

  saved(answer) {
    if (answer.error) return this.complain(answer.error, true);
    this.live.parameters.forEach((p) => { p.value = answer.saved[p.name]; });
    this.buttons();
    this.say(`saved to ${this.live.file}`);
  }
}

new Tuner(page.live);
