// Names beside what they name and never over each other: placed greedily, the most important first, each near where it was
// in the frame before. A name without room is hidden, unless what it names is picked or under the pointer.

const SIDES = [[0, -1], [0.75, -0.75], [1, 0], [0.75, 0.75], [0, 1], [-0.75, 0.75], [-1, 0], [-0.75, -0.75]];  // from above, clockwise
const FIRST = { body: 0, joint: 3, axis: 0 };  // the side that is tried first
const RINGS = [0, 16, 36, 60];  // pixels farther away; from the second ring on a thin line leads back
const NARROW = 500;  // pixels: on smaller screens joints have no names far away
const COST = { ring: 0.16, side: 0.3, pin: 4, link: 1.6, arrow: 3, move: 2.5 };
const ROOM = 4, BACK = 7;  // pixels between names, and of free room that a hidden name needs to come back: it shall not flicker

class Labels {
  constructor(root) {
    this.svg = make("svg", { id: "labels", "aria-hidden": "true" });
    this.lines = make("path", { class: "leader" });
    this.svg.append(this.lines);
    root.append(this.svg);
    this.list = [];
  }

  clear() {
    for (const { node } of this.list) node.remove();
    this.list = [];
  }

  // where(at): the place on the screen, null where it is behind the eye; reach(): pixels from there to where there is room;
  // shy: shown only if it is wanted.
  add(text, kind, key, { where, reach, shy = false }) {
    const node = make("text", { class: kind }, text);
    this.svg.append(node);
    const label = { node, kind, keys: [key], where, reach, shy, side: null, shown: true, box: null };
    this.list.push(label);
    return label;
  }
  join(label, text, key) {
    label.node.textContent += `, ${text}`;
    label.keys.push(key);
    label.box = null;
  }

  // look(): width and height, taken: rectangles of other things; names rather leave pins (circles), links (segments, half as wide as `half`) and arrows free
  // names: of bodies and joints too, else of axes alone
  draw(at, look, wanted, names = true) {
    let view = null;
    const placed = [], leads = [], rank = (l) => (l.keys.some((k) => wanted.has(k)) ? 0 : l.kind === "joint" ? 2 : 1);
    for (const label of this.list) label.rank = rank(label);
    for (const label of [...this.list].sort((a, b) => a.rank - b.rank)) {
      const place = (label.shy && label.rank) || (!names && label.kind !== "axis") ? null : label.where(at);
      const spot = place && this.choose(label, place, placed, (view ??= look()));
      label.shown = Boolean(spot);
      if (label.drawn !== label.shown) label.node.style.display = spot ? "" : "none";
      label.drawn = label.shown;
      if (!spot) continue;
      placed.push(spot.rect);
      label.side = spot.side;
      label.node.place = place;
      if (label.marked !== (label.rank === 0)) label.node.classList.toggle("wanted", label.marked = label.rank === 0);
      put(label.node, "transform", `translate(${hundredths(spot.rect[0] - label.box.x)} ${hundredths(spot.rect[1] - label.box.y)})`);
      if (spot.ring > 0) leads.push(lead(place, spot.rect));
    }
    put(this.lines, "d", leads.join(""));
  }

  choose(label, [x, y], placed, view) {
    if (!label.box?.width) { label.node.style.display = ""; label.drawn = true; label.box = label.node.getBBox(); }
    const { width: w, height: h } = label.box, gap = label.reach(), room = label.shown ? ROOM : BACK;
    let best = null;
    const look = (ring, r, [sx, sy], s) => {
      const away = gap + ring, side = `${r} ${s}`;
      const left = x + sx * away + (Math.sign(sx) - 1) * 0.5 * w, top = y + sy * away + (Math.sign(sy) - 1) * 0.5 * h;
      const rect = [left, top, left + w, top + h], turn = (s - FIRST[label.kind] + 8) % 8;
      let cost = COST.ring * ring + COST.side * Math.min(turn, 8 - turn) - (side === label.side ? COST.move : 0);
      if (best && cost >= best.cost) return;
      if (left < 2 || top < 2 || rect[2] > view.width - 2 || rect[3] > view.height - 2) return;
      const over = (other) => meets(rect, other, room);
      if (placed.some(over) || view.taken.some(over)) return;
      for (const [px, py, pr] of view.pins) if (meets(rect, [px - pr, py - pr, px + pr, py + pr], 0)) cost += COST.pin;
      for (const line of view.links) if (crosses([left - view.half, top - view.half, rect[2] + view.half, rect[3] + view.half], line)) cost += COST.link;
      for (const line of view.arrows) if (crosses(rect, line)) cost += COST.arrow;
      if (!best || cost < best.cost) best = { rect, side, cost, ring };
    };
    const rings = label.rank > 1 && view.width < NARROW ? RINGS.slice(0, 1) : RINGS;
    if (label.side) { const [r, s] = label.side.split(" ").map(Number); if (r < rings.length) look(rings[r], r, SIDES[s], s); }  // where it was; most others are then dearer from the start
    rings.forEach((ring, r) => SIDES.forEach((side, s) => look(ring, r, side, s)));
    if (best || label.rank) return best;
    const left = Math.min(view.width - w - 2, Math.max(2, x - w / 2)), top = Math.min(view.height - h - 2, Math.max(2, y - gap - h));
    return { rect: [left, top, left + w, top + h], side: null, ring: 0 };  // wanted: over others if need be
  }
}

function meets(a, b, room) {
  return a[0] < b[2] + room && b[0] < a[2] + room && a[1] < b[3] + room && b[1] < a[3] + room;
}

// Whether a segment passes through a rectangle: what is left of it after cutting at each side.
function crosses([left, top, right, bottom], [x0, y0, x1, y1]) {
  let from = 0, to = 1;
  for (const [p, d, low, high] of [[x0, x1 - x0, left, right], [y0, y1 - y0, top, bottom]]) {
    if (d === 0) { if (p < low || p > high) return false; continue; }
    const a = (low - p) / d, b = (high - p) / d;
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return from <= to;
}

function lead([x, y], [left, top, right, bottom]) {
  const ex = Math.min(right, Math.max(left, x)), ey = Math.min(bottom, Math.max(top, y));
  return `M${x.toFixed(1)} ${y.toFixed(1)}L${ex.toFixed(1)} ${ey.toFixed(1)}`;
}
