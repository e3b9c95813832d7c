// What the arrows mean: their colours, and for each scale arrows of a few sizes with their numbers; and how long a metre is.

class Legend {
  constructor(page, stage) {
    Object.assign(this, { page, stage, root: byId("force-scale"), bar: byId("scale"), rows: [] });
    this.law = html("select", { id: "law", title: "How the length of an arrow grows with its force", ariaLabel: "Lengths of arrows" },
      ...Object.keys(LAWS).map((law) => html("option", { value: law, textContent: law === "compressed" ? "compressed (√)" : law })));
    this.law.addEventListener("change", () => { stage.lengths(this.law.value); this.build(); });
  }

  get narrow() { return byId("stage").clientWidth < 480; }

  build() {
    this.built = this.narrow;
    const { forces, torques } = this.stage, plane = this.page.drawing.dimension === 2, known = this.page.motion.loaded || torques.list.length > 0;
    this.rows = [];
    byId("forces-label").hidden = this.root.hidden = !known;
    const kinds = ["reactions", "applied"].filter((kind) => [...forces.list, ...torques.list].some((f) => f.applied === (kind === "applied")));
    const colours = kinds.map((kind) => html("span", { className: kind, textContent: `→ ${kind}` }));
    const none = !forces.list.length && html("span", { textContent: "forces: none" });
    this.root.replaceChildren(
      html("div", { className: "scale" }, ...(none ? [none] : []), ...colours, ...(kinds.length ? [this.law] : [])),
      ...[this.row("forces", forces, "N", (x) => arrowSign(x, false)),
        this.row("torques", torques, "N m", (x) => (plane ? arcSign(x) : arrowSign(x, true)))].filter(Boolean));
    this.draw();
  }

  row(word, arrows, unit, sign) {
    if (!arrows.list.length) return null;
    const row = html("div", { className: "scale" }, html("span", { textContent: word }));
    for (const value of references(arrows).slice(0, this.built ? 2 : 3)) {
      const own = html("span", { className: "reference" });
      const share = LAWS[arrows.law](value / arrows.largest);
      this.rows.push(() => own.replaceChildren(sign(share * this.stage.reach(word)), measured(value, unit)));
      row.append(own);
    }
    return row;
  }

  // The signs are as long as the arrows in the picture are now.
  draw() {
    if (this.built !== this.narrow) return this.build();
    for (const row of this.rows) row();
    const { step, pixels } = this.stage.ruler();
    byId("scales").hidden = !step;  // nothing is drawn
    this.bar.replaceChildren(...(pixels ? [barSign(pixels)] : []), html("span", { textContent: pixels ? measured(step, "m") : `grid ${measured(step, "m")}` }));
  }
}

// The largest as it is, and in a compressed scale round numbers about ten and a hundred times smaller.
function references({ largest, law }) {
  return [largest, ...(law === "linear" ? [] : [0.1, 0.01].map((x) => niceBelow(1.0001 * x * largest)))];
}

function arrowSign(length, twice) {
  const l = Math.min(200, Math.max(2, length)), head = Math.min(7, 0.7 * l), second = twice ? `M${l - head + 1} 6l${-head} -3l0 6Z` : "";
  return make("svg", { width: l + 2, height: 12, class: "sign" },
    make("path", { d: `M1 6H${l + 1 - head}M${l + 1} 6l${-head} -3l0 6Z${second}` }));
}

// An arc of this part of the longest, on a pale ring: a short one by itself is a speck.
function arcSign(share) {
  return make("svg", { width: 20, height: 20, class: "sign arc" }, make("circle", { cx: 10, cy: 10, r: 7.5 }), make("path", { d: arc([10, 10], 7.5, FULL * share, 5) }));
}

function barSign(pixels) {
  return make("svg", { width: pixels + 2, height: 10, class: "bar" }, make("path", { d: `M1 1V9M1 5H${pixels + 1}M${pixels + 1} 1V9` }));
}
