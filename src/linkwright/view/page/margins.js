// What lies over the stage (switches, the scales): names keep off it, and the machine is fitted beside it.

class Margins {
  constructor(stage) { this.stage = stage; this.refresh(); }

  refresh() {
    const r = this.stage.getBoundingClientRect(), edge = this.stage.clientLeft;
    this.taken = [...this.stage.querySelectorAll(".over")].filter((e) => !e.hidden && e.offsetWidth).map((e) => {
      const q = e.getBoundingClientRect();
      return [q.left - r.left - edge, q.top - r.top - edge, q.right - r.left - edge, q.bottom - r.top - edge];
    });
    const height = this.stage.clientHeight, above = this.taken.filter((q) => q[1] + q[3] < height), below = this.taken.filter((q) => q[1] + q[3] >= height);
    this.top = Math.max(10, ...above.map((q) => q[3] + 6));
    this.bottom = Math.max(10, ...below.map((q) => height - q[1] + 6));
    this.left = this.right = 16;
  }
}
