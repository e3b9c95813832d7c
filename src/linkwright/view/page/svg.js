// Small helpers to make elements. Texts are always set as text, never as markup.

function make(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function html(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const byId = (id) => document.getElementById(id);

// "M0 0L1 1": numbers with enough digits for a screen; some drawing engines stumble over 1e-33.
function pathOf(points, closed = false) {
  const short = (x) => (Math.abs(x) < 1e-15 ? 0 : +x.toPrecision(7));
  return points.map((p, k) => `${k ? "L" : "M"}${short(p[0])} ${short(p[1])}`).join("") + (closed ? "Z" : "");
}

// Something that can be picked by pointer and by keyboard.
function pickable(element, label, pick) {
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", label);
  element.append(make("title", {}, label));
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); pick(null); }
  });
}
