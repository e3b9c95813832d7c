// The modes of a machine: a list, of which one swings.

class Modes {
  constructor(modes, first) {
    this.modes = modes;
    this.buttons = modes.map((m, k) => {
      const button = html("button", { type: "button", textContent: m.label });
      button.addEventListener("click", () => this.show(k));
      return button;
    });
    const list = html("div", { id: "modes", className: "modes" }, ...this.buttons);
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", "Modes");
    const box = html("details", { id: "modes-box", open: true }, html("summary", { textContent: "Modes" }), list);
    byId("plots-box").before(box);
    this.show(first);
  }

  show(k) {
    for (const name of ["motion", "analysis", "audit"]) page[name] = this.modes[k][name];
    this.buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(i === k)));
    renew(-Infinity);
    player.choice = nearest(player.speeds, (motion.end - motion.start) / 2);  // twice a second is well seen
    player.tell();
  }
}

new Modes(page.modes, page.first_mode);
