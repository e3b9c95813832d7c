// Sliders and number fields of parameters and start values; undo, reset, a link, files.

class Panel extends Sliders {
  constructor(bench) {
    super();
    this.bench = bench;
    const { given } = bench, grid = html("div", { className: "tune" });
    for (const s of given.sliders) grid.append(...this.tuned(s));
    this.box = html("details", { id: "tune-box", open: true }, html("summary", { textContent: "Parameters" }), grid);
    byId("plots-box").before(this.box);
    if (!given.sliders.length) grid.replaceWith(html("p", { className: "hint", textContent: "The model has no parameters." }));
    const starts = (given.starts ?? []).filter((s) => !this.inputs.has(s.name) && !s.hidden);
    if (starts.length) {
      const more = html("div", { className: "tune" });
      for (const s of starts) more.append(...this.tuned({ ...s, ...rangeOf(s.value) }));
      this.box.append(html("details", { open: given.sliders.length === 0 || starts.length < 5 }, html("summary", { textContent: "Start" }), more));
    }
    const button = (id, text, title, act) => {
      const b = html("button", { type: "button", id, textContent: text, title });
      b.addEventListener("click", act);
      return b;
    };
    this.said = html("output", { id: "said" });
    this.back = button("reset", "Reset", "Back to the values of the model", () => bench.reset());
    this.undo = button("undo", "Undo", "The values before (Ctrl+Z)", () => bench.undo());
    this.link = button("share", "Link", "Copy a link to these values", () => this.share());
    const files = html("select", { id: "export", title: "Save as a file" }, html("option", { value: "", textContent: "Save …" }),
      ...Object.entries({ csv: "numbers (CSV)", yaml: "model (YAML)", svg: "picture (SVG)", png: "picture (PNG)", gif: "film (GIF)", ...(globalThis.MediaRecorder?.isTypeSupported("video/webm") ? { webm: "film (WebM)" } : {}) }).filter(([k]) => k !== "svg" || page.drawing.dimension === 2).map(([value, textContent]) => html("option", { value, textContent })));
    files.setAttribute("aria-label", "Save as a file");
    files.addEventListener("change", () => { const kind = files.value; files.value = ""; if (kind) saveAs(kind, bench); });
    this.drags = "pull";
    const drags = html("select", { id: "drags", title: "What dragging a body does" }, html("option", { value: "pull", textContent: "drag: pull it" }), html("option", { value: "place", textContent: "drag: place the start" }));
    drags.setAttribute("aria-label", "What dragging a body does");
    drags.addEventListener("change", () => { this.drags = drags.value; });
    const compare = html("input", { type: "checkbox", id: "compare" });
    compare.addEventListener("change", () => bench.ghost?.toggle(compare.checked));
    const before = html("label", { className: "hint", title: "Show the machine as it was before the last change, too" }, compare, " compare");
    this.keep = page.server ? new Keeper(bench, this) : null;
    this.box.append(html("div", { className: "actions" }, this.back, this.undo, ...(this.keep ? [this.keep.button] : []), this.link, files, ...(given.analysis === "dynamics" ? [drags] : []), before, this.said));
    if (page.server && !page.server.file) this.box.append(html("p", { className: "hint", textContent: page.server.why_not }));
    this.show();
    addEventListener("keydown", (e) => { if ((e.ctrlKey || e.metaKey) && e.key === "z" && !e.target.matches("input[type=number], input[type=search]")) { e.preventDefault(); bench.undo(); } });
  }

  tuned(slider) {
    const { bench } = this, { name } = slider;
    let moving = false;  // one step of undo for a whole move
    const moved = (x, from) => {
      const why = bench.wrong(name, x);
      if (why) return bench.say(why);
      if (!moving) bench.remember();
      moving = true;
      bench.values[name] = x;
      this.put(name, x, from);
      return bench.wish();
    };
    return this.row(slider, moved, () => { moving = false; this.put(name, bench.values[name]); });
  }
  show() {
    for (const name of this.inputs.keys()) this.put(name, this.bench.values[name]);
    this.buttons();
  }
  buttons() {
    const { bench } = this;
    this.back.disabled = !Object.keys(bench.state).length;
    this.undo.disabled = !bench.history.length;
    this.keep?.show();
  }
  tell(what) { this.said.textContent = typeof what === "number" ? `solved in ${what.toFixed(what < 10 ? 1 : 0)} ms` : what; }
  refuse(why) {
    for (const { slider, box } of this.inputs.values()) slider.disabled = box.disabled = true;
    this.link.disabled = true;
    this.box.append(html("p", { className: "hint", id: "refused", textContent: `The motion is shown as it was recorded: ${why}.` }));
  }
  async share() {
    const url = `${location.href.split("#")[0]}${this.bench.address ? `#${this.bench.address}` : ""}`;
    try { await navigator.clipboard.writeText(url); this.tell("link copied"); } catch { this.tell("the link is in the address line"); }
  }
}

function rangeOf(value) { return value ? { low: Math.min(0, 2 * value), high: Math.max(0, 2 * value) } : { low: -1, high: 1 }; }
