// The server that this page comes from, where there is one: it keeps the file of the model, nothing else.

class Keeper {
  constructor(bench, panel) {
    Object.assign(this, { bench, panel });
    this.button = html("button", { type: "button", id: "save", textContent: "Save" });
    this.button.title = page.server.file ? `Write the values to ${page.server.file}` : page.server.why_not;
    this.button.addEventListener("click", () => this.save());
    addEventListener("pagehide", () => navigator.sendBeacon("bye", this.body()));
    // brought back by the browser as it was: the server has counted it as gone
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  }
  body() { return new Blob([JSON.stringify({ page: page.server.page, parameters: this.bench.parameters })], { type: "application/json" }); }
  get changed() { const { bench } = this; return Object.keys(bench.parameters).some((name) => bench.values[name] !== bench.first[name]); }
  show() { this.button.disabled = !page.server.file || !this.changed; }

  async save() {
    const { bench } = this;
    let answer;
    try {
      answer = await (await fetch("save", { method: "POST", body: this.body() })).json();
    } catch {
      answer = { error: { element: [], cause: "there is no answer: the server has ended", remedy: "run linkwright view again" } };
    }
    await bench.turn;
    if (answer.error) return bench.complain(answer.error, true);
    Object.assign(bench.first, answer.saved);
    this.panel.buttons();
    return this.panel.tell(`saved to ${page.server.file}`);
  }
}
