// What `check` objects to, and what would mend it: the server tries remedies on copies, and puts one on the bench on request.

class Remedies {
  // `given`: what the server told; `ask(what, more)`: a question to it.
  constructor(given, ask) {
    Object.assign(this, { given, ask });
    if (!given.findings?.length && !given.mended) return;
    this.list = html("div", { id: "findings" });
    this.said = html("output", { id: "remedies-said" });
    this.said.setAttribute("role", "status");
    this.look = this.button("look", "What mends it?", "Try remedies on copies of the machine", () => this.search());
    const actions = html("div", { className: "actions" });
    if (given.findings.length) actions.append(this.look);
    if (given.mended) actions.append(...this.made(), this.button("unmend", "Undo", "The machine before", () => this.act("undo")));
    actions.append(this.said);
    this.box = html("details", { id: "remedies-box", open: true }, html("summary", { textContent: given.findings.length ? "Something to look at" : "Mended" }), this.list, actions);
    document.querySelector("aside").prepend(this.box);
    if (given.mended) this.said.textContent = `made: ${given.mended}${given.file ? `, saved to ${given.file}` : ""}`;
    this.show(given.findings);
  }
  made() { return this.given.mended_file ? [this.button("keep", `Save as ${this.given.mended_file}`, "A file of its own, beside the one it comes from", () => this.act("keep"))] : []; }
  button(id, textContent, title, act) {
    const b = html("button", { type: "button", textContent, title });
    if (id) b.id = id;
    b.addEventListener("click", act);
    return b;
  }
  show(findings) { this.list.replaceChildren(...findings.map((f) => this.row(f))); }
  row(f) {
    const names = html("span", { className: "culprits" }), box = html("div", { className: "finding" });
    box.dataset.code = f.code;
    for (const name of f.elements.slice(0, 6)) {
      const kind = page.drawing.bodies.some((b) => b.name === name) ? "body" : page.drawing.elements.some((e) => e.name === name) ? "element" : "";
      names.append(kind ? this.button("", name, `Show ${name}`, () => pick(kind, name)) : html("code", { textContent: name }));
    }
    box.append(html("p", {}, html("b", { textContent: f.code }), " ", f.text), names, html("p", { className: "hint", textContent: f.remedy }));
    for (const fix of f.fixes) {
      const b = this.button("", fix.text, "Make it, in a copy", () => this.act("mend", { fix: fix.fix }));
      b.className = "fix";
      box.append(b, html("p", { className: "hint outcome", textContent: fix.outcome }));
    }
    return box;
  }
  busy(text) {
    this.said.textContent = text;
    for (const b of this.box.querySelectorAll("button")) b.disabled = Boolean(text);
  }
  async search() {
    this.busy("trying remedies …");
    const answer = await this.ask("check");
    this.busy("");
    if (answer.error) { this.said.textContent = answer.error.cause; return; }
    const count = new Set(answer.findings.flatMap((f) => f.fixes.map((x) => x.fix))).size;
    this.show(answer.findings);
    this.said.textContent = !answer.findings.length ? "nothing is wrong with these values" : count ? `${count} tried on a copy, with what came of it` : "none was found";
  }
  async act(what, more = {}) {
    this.busy({ mend: "mending …", undo: "going back …", keep: "saving …" }[what]);
    const answer = await this.ask(what, more);
    if (!answer.error) return location.replace(location.pathname);  // the machine is another one
    this.busy("");
    this.said.textContent = `${answer.error.cause}${answer.error.remedy ? `; ${answer.error.remedy}` : ""}`;
    return undefined;
  }
}

// A question to the server that this page comes from.
async function asked(what, page_name, parameters, more = {}) {
  try {
    return await (await fetch(what, { method: "POST", body: JSON.stringify({ page: page_name, parameters, ...more }) })).json();
  } catch {
    return { error: { element: [], cause: "there is no answer: the server has ended", remedy: "run linkwright view again" } };
  }
}
