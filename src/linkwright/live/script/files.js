// What the page gives away: numbers, the model with these values, the picture.

function saveAs(kind, bench) {
  const name = (page.title || "machine").replace(/[^\p{L}\p{N} ._-]+/gu, "_").trim() || "machine";
  if (kind === "csv") give(`${name}.csv`, table(bench), "text/csv");
  if (kind === "yaml") give(`${name}.yaml`, revised(page.model ?? "", bench.parameters), "text/yaml");
  if (kind === "svg") give(`${name}.svg`, picture(), "image/svg+xml");
  if (kind === "gif" || kind === "webm") film(kind, bench).then((blob) => { if (blob) give(`${name}.${kind}`, blob); });
  if (kind === "png") photograph().then((blob) => give(`${name}.png`, blob));
}

async function film(kind, bench) {
  const told = (text) => bench.panel.tell(text);
  if (bench.filming) return null;
  bench.filming = true;
  try {
    const blob = await (kind === "gif" ? animated : recorded)(told);
    told(`a film of ${(blob.size / 1e6).toFixed(1)} MB`);
    return blob;
  } catch (error) {
    bench.say(`the film could not be made: ${error.message}`);
    return null;
  } finally {
    bench.filming = false;
  }
}

function give(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type }), url = URL.createObjectURL(blob), a = html("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// Numbers in full; names with a comma or a quote in quotes.
function table(bench) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text), columns = [...bench.channels.values()];
  const lines = [["t", ...columns.map((c) => c.name)].map(quoted).join(",")];
  for (let k = 0; k < bench.times.length; k++) lines.push([bench.times[k], ...columns.map((c) => c.values[k])].join(","));
  return `${lines.join("\n")}\n`;
}

// The text of the model with other values under "parameters:".
function revised(text, values) {
  const lines = text.split("\n"), from = lines.findIndex((line) => /^parameters:\s*(#.*)?$/.test(line));
  for (let k = from + 1; from >= 0 && k < lines.length && /^(\s|#|$)/.test(lines[k]); k++) {
    const found = /^(\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:]+)(\s*:\s*)([^#]*?)(\s*(?:#.*)?)$/.exec(lines[k]);
    if (!found) continue;
    const name = found[2].replace(/^["']|["']$/g, "");
    if (name in values && Number.isFinite(Number(found[4]))) lines[k] = `${found[1]}${found[2]}${found[3]}${values[name]}${found[5]}`;
  }
  return lines.join("\n");
}

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "paint-order", "display"];

// The picture as it is, with its styles in it.
function picture() {
  const svgs = [...byId("view").querySelectorAll("svg")], { clientWidth: width, clientHeight: height } = byId("view");
  const out = make("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` });
  if (!stage.orbit) out.append(make("rect", { width, height, fill: getComputedStyle(byId("stage")).backgroundColor }));  // else names over the scene
  for (const svg of svgs) {
    const copy = svg.cloneNode(true), own = [...svg.querySelectorAll("*")];
    copy.querySelectorAll("*").forEach((node, k) => {
      const style = getComputedStyle(own[k]);
      for (const name of STYLES) { const value = style.getPropertyValue(name); if (value && value !== "normal") node.setAttribute(name, value); }
      for (const name of ["tabindex", "role", "aria-label"]) node.removeAttribute(name);
    });
    out.append(make("g", {}, ...copy.childNodes));
  }
  return new XMLSerializer().serializeToString(out);
}

async function photograph() {
  const { clientWidth: width, clientHeight: height } = byId("view"), canvas = html("canvas", { width: 2 * width, height: 2 * height });
  await photographed(canvas, canvas.getContext("2d"));
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
