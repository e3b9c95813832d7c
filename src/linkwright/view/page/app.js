// Puts the page together.

const page = JSON.parse(byId("data").textContent);
const motion = new Motion(page.motion, page.drawing.dimension);
const followed = new Followed(page, motion);
followed.tell(motion.channels, motion.channels);
const player = new Player(motion);
const measures = new Measures(motion);
const plots = new Plots(byId("plots"), motion, player, measures);
const inspector = new Inspector(byId("selection"), page, motion, player, plots, measures);

const margins = new Margins(byId("stage"));
const stage = new (page.drawing.dimension === 2 ? Stage2D : Stage3D)(byId("view"), page, motion, pick, margins);
const legend = new Legend(page, stage);

function pick(kind, name, spot) {
  stage.select(kind, name);
  inspector.show(kind, name, spot, (body, at) => {
    const point = followed.add(body, at);
    stage.addFollowed(point);
    listPart("point", point.name, "point");
    for (const channel of motion.channels.keys()) if (channel.startsWith(`${point.name}.`)) listChannel(channel);
    plots.build();
  });
  if (kind === "body" && name !== "ground") byId("selection").append(seeThrough(name));
  for (const b of byId("parts").children) b.setAttribute("aria-pressed", b.dataset.key === `${kind}:${name}`);
}

// What a body hides is seen, and picked, through it.
function seeThrough(name) {
  const box = html("input", { type: "checkbox", id: "clear", checked: stage.clear.has(name) });
  box.addEventListener("change", () => stage.seeThrough(name, box.checked));
  return html("label", { className: "hint", title: "What is behind it is seen, or not (x)" }, box, " see through");
}

function listPart(kind, name, word) {
  const button = html("button", { type: "button", textContent: name, title: `${word} ${name}` });
  button.dataset.key = `${kind}:${name}`;
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => pick(kind, name));
  byId("parts").append(button);
}
function listParts() {
  for (const b of page.drawing.bodies) if (b.name !== "ground") listPart("body", b.name, "body");
  for (const e of page.drawing.elements) listPart("element", e.name, e.kind);
  for (const p of page.traces) listPart("point", p.name, "point");
}

const boxes = new Map();  // of channels
function listChannel(name) {
  const box = html("input", { type: "checkbox" });
  box.addEventListener("change", () => plots.toggle(name));
  const label = html("label", {}, box, name);
  boxes.set(name, { box, label });
  byId("channels").append(label);
}
function listChannels() {
  for (const name of motion.channels.keys()) listChannel(name);
  if (page.motion.left_out) byId("channels").append(html("p", { className: "hint", textContent: `${page.motion.left_out} more channels are left out: the page would be too large.` }));
  byId("search").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const [name, { label }] of boxes) label.style.display = name.toLowerCase().includes(wanted) ? "" : "none";
  });
  plots.changed = () => { for (const [name, { box }] of boxes) box.checked = plots.has(name); };
  plots.choose(page.plots);
}

function showTexts() {
  const count = motion.t.length, left = page.motion.stored > count ? ` of ${page.motion.stored}` : "";
  byId("subtitle").textContent = [page.analysis, `${count}${left} frame${count > 1 ? "s" : ""}`].filter(Boolean).join(" · ");
  for (const name of ["check", "audit", "model"]) {
    byId(name).textContent = page[name] ?? "";
    byId(`${name}-box`).hidden = !page[name];
  }
  legend.build();
  margins.refresh();
}

// The page holds another motion.
function renew(at) {
  motion.take(page.motion);
  followed.tell(motion.channels, motion.channels);
  stage.renew();
  plots.build();
  timeEnds();
  showTexts();
  player.seek(at);
}

function timeEnds() {
  byId("time").min = motion.start;
  byId("time").max = motion.end;
  clockDigits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(motion.end - motion.start || 1))));
}
let clockDigits = 3;

function controls() {
  const time = byId("time");
  timeEnds();
  time.addEventListener("input", () => {
    const wanted = Number(time.value);  // a pause tells the slider where the player is
    player.pause();
    player.seek(wanted);
  });
  byId("play").addEventListener("click", () => player.toggle());
  byId("back").addEventListener("click", () => player.step(-1));
  byId("forward").addEventListener("click", () => player.step(1));
  byId("fit").addEventListener("click", () => stage.fit());
  for (const name of ["names", "traces", "forces"]) byId(name).addEventListener("change", (e) => stage.toggle(name, e.target.checked));
  player.speeds.forEach((s, k) => byId("speed").append(html("option", { value: k, textContent: `${shown(s)}×` })));
  byId("speed").addEventListener("change", (e) => { player.choice = Number(e.target.value); player.tell(); });
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement, now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    stage.recolour();
  });
  byId("fold").addEventListener("click", fold);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => stage.recolour());
}

// The numbers beside the machine go away, and it has all the room.
function fold() {
  const folded = document.body.classList.toggle("folded");
  byId("fold").setAttribute("aria-expanded", !folded);
}

const KEYS = {
  " ": () => player.toggle(),
  ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1),
  ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1),
  Home: () => { player.pause(); player.seek(motion.start); },
  End: () => { player.pause(); player.seek(motion.end); },
  "+": () => player.faster(1), "=": () => player.faster(1), "-": () => player.faster(-1),
  0: () => stage.fit(),
  p: fold, x: () => byId("clear")?.click(),
  PageUp: () => stage.zoom(1.25), PageDown: () => stage.zoom(0.8),
  a: () => stage.turn(-1, 0), d: () => stage.turn(1, 0), w: () => stage.turn(0, -1), s: () => stage.turn(0, 1),
};

function keyboard(event) {
  const element = event.target, typing = element.matches("input[type=search], input[type=number], .tune input, select, textarea");
  // space on a button presses it
  if (typing || event.ctrlKey || event.metaKey || event.altKey || (event.key === " " && element.matches("button, input[type=checkbox], summary"))) return;
  if (event.key.startsWith("Page") && !element.closest("#stage")) return;  // scrolls
  const act = KEYS[event.key];
  if (act) { event.preventDefault(); act(event); }
}

// Numbers are written ten times a second while the machine moves: nobody reads faster, and each of them is laid out anew.
// Of the slider, of cursors, and of names, which move a few pixels in that time, half the pictures do, in space, where a picture
// costs more, a third: names in those that move no slider, so that no picture has it all.
const PACE = 100, [SLIDES, NAMES] = page.drawing.dimension === 2 ? [30, [14, 45]] : [45, [28, 61]];
let written = -Infinity, slid = -Infinity, named = -Infinity, told = "";

function tick() {
  const at = motion.place(player.time), now = performance.now(), numbers = !player.playing || now - written > PACE, slides = numbers || now - slid > SLIDES;
  const names = !player.playing || now - named > NAMES[slides ? 1 : 0];
  stage.draw(at, names, player.playing);
  if (names) named = now;
  if (slides) {
    slid = now;
    plots.draw(numbers);
    byId("time").value = player.time;
  }
  const state = `${player.playing} ${player.choice}`;
  if (state !== told) buttons(state);
  if (!numbers) return;
  written = now;
  inspector.draw();
  byId("clock").textContent = `${player.time.toFixed(clockDigits)} s`;
  byId("time").setAttribute("aria-valuetext", byId("clock").textContent);
}
function buttons(state) {
  told = state;
  byId("play-sign").setAttribute("d", player.playing ? "M3 2h3.6v12H3zM9.4 2H13v12H9.4z" : "M3 1.5l11 6.5-11 6.5z");
  byId("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
  byId("speed").value = player.choice;
}

listParts();
listChannels();
showTexts();
controls();
let tall = 1;
if (page.drawing.dimension === 2) {  // where the stage may choose its height: as tall as the machine is
  const [low, high] = stage.camera.box;
  tall = (high[1] - low[1]) / (high[0] - low[0]);
  byId("stage").style.setProperty("--tall", tall);
}
// Whether the numbers are below the machine: where the window is narrow, or would leave a flat machine no width beside them.
function arrange() {
  const { innerWidth: w, innerHeight: h } = window, below = w <= 560 || (w <= 820 && (w <= h || (tall < 0.5 && h > 500)));
  document.documentElement.classList.toggle("upright", below);
}
arrange();
addEventListener("resize", arrange);
stage.looked = () => { legend.draw(); margins.refresh(); };
stage.fit();
document.addEventListener("keydown", keyboard);
player.onChange(tick);
const teller = new Teller(byId("told"), page, motion, player, plots, measures);
if (page.autoplay && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
