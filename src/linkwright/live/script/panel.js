// Sliders and number fields of parameters and start values; undo, reset, a link, files.

const DIGITS = 6;  // that a number field shows

class Panel {
  constructor(bench) {
    this.bench = bench;
    this.inputs = new Map();
    const { given } = bench, grid = html("div", { className: "tune" });
    for (const s of given.sliders) grid.append(...this.row(s));
    this.box = html("details", { id: "tune-box", open: true }, html("summary", { textContent: "Parameters" }), grid);
    byId("plots-box").before(this.box);
    if (!given.sliders.length) grid.replaceWith(html("p", { className: "hint", textContent: "The model has no parameters." }));
    const starts = (given.starts ?? []).filter((s) => !this.inputs.has(s.name) && !s.hidden);
    if (starts.length) {
      const more = html("div", { className: "tune" });
      for (const s of starts) more.append(...this.row({ ...s, ...rangeOf(s.value) }));
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

  row({ name, value, low, high }) {
    const id = `tune ${name}`, step = niceStep((high - low) / 1000), { bench } = this;
    const slider = html("input", { type: "range", id, min: Math.floor(low / step) * step, max: Math.ceil(high / step) * step, step });
    const box = html("input", { type: "number", step: "any", required: true });
    const label = html("label", { htmlFor: id }, ...name.split(/(?<=[.(])/).flatMap((part) => [html("wbr"), part]));
    box.setAttribute("aria-label", `${name}, as a number`);
    slider.dataset.name = box.dataset.name = name;
    this.inputs.set(name, { slider, box });
    let moving = false;  // one step of undo for a whole move
    const moved = (x, from) => {
      if (!moving) bench.remember();
      moving = true;
      bench.values[name] = x;
      this.put(name, x, from);
      bench.wish();
    };
    // multiples of the step are computed: 0.30000000000000004 is 0.3
    slider.addEventListener("input", () => moved(Number(slider.valueAsNumber.toPrecision(12)), slider));
    box.addEventListener("input", () => {
      if (!box.validity.valid || !Number.isFinite(box.valueAsNumber)) return;
      const why = bench.wrong(name, box.valueAsNumber);
      if (why) bench.say(why);
      else moved(box.valueAsNumber, box);
    });
    for (const x of [slider, box]) x.addEventListener("change", () => { moving = false; this.put(name, bench.values[name]); });
    return [label, slider, box];
  }
  // A value, shown by both inputs but the one it came from.
  put(name, value, from) {
    const { slider, box } = this.inputs.get(name);
    if (from !== box) {
      const long = Number(value.toPrecision(12));
      box.value = `${long}`.length > DIGITS + 2 ? Number(value.toPrecision(DIGITS)) : long;  // as many as there is room for
      box.title = value;
    }
    if (value < Number(slider.min)) slider.min = value;
    if (value > Number(slider.max)) slider.max = value;
    if (from !== slider) slider.value = value;
    slider.setAttribute("aria-valuetext", String(value));
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
