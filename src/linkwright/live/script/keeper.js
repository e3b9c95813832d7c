// The server that this page comes from, where there is one: it keeps the file of the model, nothing else.

class Keeper {
  constructor(bench, panel) {
    Object.assign(this, { bench, panel });
    this.button = html("button", { type: "button", id: "save", textContent: "Save" });
    this.button.title = page.server.file ? `Write the values to ${page.server.file}` : page.server.why_not;
    this.button.addEventListener("click", () => this.save());
    this.remedies = new Remedies(page.server, (what, more) => asked(what, page.server.page, bench.parameters, more));
    addEventListener("pagehide", () => navigator.sendBeacon("bye", this.body()));
    // brought back by the browser as it was: the server has counted it as gone
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  }
  body() { return new Blob([JSON.stringify({ page: page.server.page, parameters: this.bench.parameters })], { type: "application/json" }); }
  get changed() { const { bench } = this; return Object.keys(bench.parameters).some((name) => bench.values[name] !== bench.first[name]); }
  show() { this.button.disabled = !page.server.file || !this.changed; }

  async save() {
    const { bench } = this;
    const answer = await asked("save", page.server.page, bench.parameters);
    await bench.turn;
    if (answer.error) return bench.complain(answer.error, true);
    Object.assign(bench.first, answer.saved);
    this.panel.buttons();
    return this.panel.tell(`saved to ${page.server.file}`);
  }
}
