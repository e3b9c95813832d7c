// A slider and a number field for each of some numbers; what is wrong with them, over the stage.

const DIGITS = 6;  // that a number field shows

class Sliders {
  constructor() { this.inputs = new Map(); }

  // moved(x, from): the user has given a value by one of the inputs; left(): and let it go.
  row({ name, low, high }, moved, left) {
    const id = `tune ${name}`, step = niceStep((high - low) / 1000);
    const slider = html("input", { type: "range", id, min: Math.floor(low / step) * step, max: Math.ceil(high / step) * step, step });
    const box = html("input", { type: "number", step: "any", required: true });
    const label = html("label", { htmlFor: id }, ...name.split(/(?<=[.(])/).flatMap((part) => [html("wbr"), part]));
    box.setAttribute("aria-label", `${name}, as a number`);
    slider.dataset.name = box.dataset.name = name;
    this.inputs.set(name, { slider, box });
    // multiples of the step are computed: 0.30000000000000004 is 0.3
    slider.addEventListener("input", () => moved(Number(slider.valueAsNumber.toPrecision(12)), slider));
    box.addEventListener("input", () => { if (box.validity.valid && Number.isFinite(box.valueAsNumber)) moved(box.valueAsNumber, box); });
    for (const x of [slider, box]) x.addEventListener("change", left);
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
}

// What is wrong, over the stage.
class Complaints {
  constructor() {
    this.box = html("div", { id: "trouble", hidden: true });
    this.box.setAttribute("role", "status");
    byId("stage").append(this.box);
  }
  // `fits`: the picture is of these values all the same; `more`: what stands below. Gives one text; "" where nothing is wrong.
  tell(error, fits, more = []) {
    this.box.hidden = !error;
    byId("stage").classList.toggle("stale", Boolean(error) && !fits);
    byId("stage").classList.toggle("troubled", Boolean(error));
    if (!error) return "";
    const names = error.element.slice(0, 5).join(", ") + (error.element.length > 5 ? ", …" : ""), rest = fits ? "" : ". The picture is older.";
    this.box.replaceChildren(html("b", { textContent: names }), names ? ": " : "", error.cause + rest, ...(error.remedy ? [html("p", { textContent: `Remedy: ${error.remedy}` })] : []), ...more);
    return `${names ? `${names}: ` : ""}${error.cause}${error.remedy ? `; remedy: ${error.remedy}` : ""}`;
  }
}
