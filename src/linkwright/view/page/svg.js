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

// An attribute that is written in every picture: the browser looks at an element anew even where it is told the same again.
const known = new WeakMap();
function put(element, name, value) {
  let last = known.get(element);
  if (!last) known.set(element, last = {});
  if (last[name] === value) return;
  last[name] = value;
  element.setAttribute(name, value);
}

// Of a pixel, as short as may be: long numbers have to be read, too.
const hundredths = (x) => Math.round(100 * x) / 100;

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

// A smooth way through points that are few, where it is one: between two of them a curve by their neighbours (Catmull and Rom); a
// corner of more than 50 degrees, as at an impact, stays one.
function smooth(points, most = 400) {
  const n = points.length, d = (a, b) => a.map((x, i) => b[i] - x), length = (v) => Math.hypot(...v);
  if (n < 4 || n > most) return points;
  const steps = Math.min(8, Math.ceil(most / n)), out = [points[0]], closed = length(d(points[0], points[n - 1])) < 1e-6 * length(d(points[0], points[n >> 1]));
  const at = (k) => (closed ? points[(k + n - 1) % (n - 1)] : points[Math.min(n - 1, Math.max(0, k))]);
  const tangent = (k) => {
    const a = d(at(k - 1), at(k)), b = d(at(k), at(k + 1)), cos = a.reduce((s, x, i) => s + x * b[i], 0) / (length(a) * length(b) || 1);
    return cos > 0.64 ? d(at(k - 1), at(k + 1)).map((x) => x / 2) : null;
  };
  for (let k = 0; k + 1 < n; k++) {
    const p = points[k], q = points[k + 1], chord = d(p, q), u = tangent(k) ?? chord, v = tangent(k + 1) ?? chord;
    for (let j = 1; j <= steps; j++) {
      const s = j / steps, s2 = s * s, s3 = s2 * s;
      out.push(p.map((x, i) => (2 * s3 - 3 * s2 + 1) * x + (s3 - 2 * s2 + s) * u[i] + (3 * s2 - 2 * s3) * q[i] + (s3 - s2) * v[i]));
    }
  }
  return out;
}
